package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The schedulers, and a page of their tasks.
 *
 * @param tasks in the order that was asked for, or else in that of scheduler and id
 * @param offset how many tasks were left out before the page
 * @param limit how many tasks the page has at most
 * @param total how many tasks were found, on this page and on others
 * @param next what to send as {@code after} for the page that follows; null if no task comes after this one
 */
public record SchedulersDescriptor(
        List<SchedulerDescriptor> schedulers,
        List<TaskDescriptor> tasks,
        int offset,
        int limit,
        int total,
        @Nullable String next)
        implements OperationResponseBody {}
