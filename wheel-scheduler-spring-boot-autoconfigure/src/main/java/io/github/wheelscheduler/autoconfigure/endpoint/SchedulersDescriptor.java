package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.ProgramTimers;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The schedulers, and a page of their tasks.
 *
 * @param now the time when they were read, by the clock of the schedulers
 * @param started the start of the process
 * @param steering whether the endpoint may be written to
 * @param reasonRequired whether steering without a reason is refused, also that of durable tasks
 * @param findings the problems, the worst first; null if they were not asked for
 * @param whyNone the reason why no scheduler is on the wheel, and the remedy, as the log has them; null if there are
 *     schedulers
 * @param tasks in the order that was asked for, or else in that of scheduler and id
 * @param offset the number of tasks that were left out before the page
 * @param limit the maximum number of tasks on the page
 * @param total the number of tasks that were found, on this page and on others
 * @param next the value to send as {@code after} for the page that follows; null if no task comes after this one
 * @param frequent the number of tasks that were left out as they run more often than every ten minutes; null if none
 *     were to be
 * @param day the next 24 hours; null if they were not asked for
 * @param timers of all of the application, whichever schedulers were asked for; null if they were not asked for
 */
public record SchedulersDescriptor(
        Instant now,
        Instant started,
        boolean steering,
        boolean reasonRequired,
        @Nullable List<Finding> findings,
        List<SchedulerDescriptor> schedulers,
        @Nullable String whyNone,
        List<TaskDescriptor> tasks,
        int offset,
        int limit,
        int total,
        @Nullable String next,
        @Nullable Integer frequent,
        @Nullable DayDescriptor day,
        @Nullable List<ProgramTimers.Reading> timers)
        implements OperationResponseBody {}
