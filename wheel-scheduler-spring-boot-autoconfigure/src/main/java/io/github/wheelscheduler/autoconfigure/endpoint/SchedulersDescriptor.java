package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The schedulers, and a page of their tasks.
 *
 * @param tasks in the order of scheduler and id
 * @param offset how many tasks were left out before the page
 * @param limit how many tasks the page has at most
 * @param total how many tasks there are
 */
public record SchedulersDescriptor(
        List<SchedulerDescriptor> schedulers, List<TaskDescriptor> tasks, int offset, int limit, int total)
        implements OperationResponseBody {}
