package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.run.RunFailures;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

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

    /** Arms a run for now. */
    ScheduledFuture<?> runNow(Runnable run);

    /** Returns what the user's decorator makes of a task; the task itself if there is none. On the thread that schedules it. */
    Runnable decorate(Runnable task);

    /** Returns who counts failures and knows whom to tell. */
    RunFailures failures();

    /** Returns the wall clock. */
    Clock clock();

    /** Returns the time of the monotonic clock; 0 before there is an executor. */
    long nanoTime();
}
