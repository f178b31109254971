package io.github.wheelscheduler.durable.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of the one-time tasks of a handler, by id.
 *
 * @param after what to ask for to get the next page; null if there is none
 */
public record DurablePageDescriptor(
        List<DurableTaskDescriptor> tasks, @Nullable String after) implements OperationResponseBody {}
