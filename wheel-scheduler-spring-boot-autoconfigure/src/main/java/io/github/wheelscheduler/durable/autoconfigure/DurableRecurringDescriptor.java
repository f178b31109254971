package io.github.wheelscheduler.durable.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of the recurring tasks by id.
 *
 * @param after the cursor of the next page; null if there is none
 * @param cut whether 10,000 tasks have been read, so that more may follow
 */
public record DurableRecurringDescriptor(
        List<RecurringTaskDescriptor> recurring, @Nullable String after, boolean cut)
        implements OperationResponseBody {}
