package io.github.wheelscheduler.durable.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of one-time tasks: those of a state by handler and time, others by handler and id, and those with an error the
 * newest first.
 *
 * @param after the cursor of the next page; null if there is none
 * @param cut whether as many rows as may be were read, or handlers: tasks may follow, or, of those with an error, be
 *     left out that are older
 * @param count the number of tasks that match, up to 10,000, if that was asked for
 * @param moreCounted whether there may be more than that, if it was asked for
 * @param recurring the recurring task of that id, where an id was looked for among all tasks; null if there is none
 */
public record DurablePageDescriptor(
        List<DurableTaskDescriptor> tasks,
        @Nullable String after,
        boolean cut,
        @Nullable Integer count,
        @Nullable Boolean moreCounted,
        @Nullable RecurringTaskDescriptor recurring)
        implements OperationResponseBody {}
