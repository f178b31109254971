package io.github.wheelscheduler.spring.task;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ErrorHandler;

/** What a {@link TaskBook} needs of the scheduler that it belongs to. Rejections are Spring's exceptions. */
public interface TaskTimers {

    /**
     * Arms a task for its schedule.
     *
     * @param first when a fixed rate or delay starts; null for at once
     * @return null if a trigger names no instant
     */
    @Nullable
    ScheduledFuture<?> arm(Runnable task, TaskSchedule schedule, @Nullable Instant first);

    /** Returns who hears of the failures of a task that repeats, or that does not. */
    ErrorHandler errorHandler(String task, boolean isRepeating);

    /** Returns the wall clock. */
    Clock clock();

    /** Returns the time of the monotonic clock; 0 before there is an executor. */
    long nanoTime();
}
