package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.run.RunFailures;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a {@link TaskBook} needs of the scheduler that it belongs to. Rejections are Spring's exceptions. */
public interface TaskTimers {

    /**
     * Asks all that is to be asked before a task can be armed for its schedule: triggers and clocks.
     *
     * @param first when a fixed rate or delay starts; null for at once
     * @return arms it, throwing Spring's exception if it is rejected; null if a trigger names no instant
     */
    @Nullable
    Supplier<ScheduledFuture<?>> prepare(Runnable task, TaskSchedule schedule, @Nullable Instant first);

    /** Arms a run for now. */
    ScheduledFuture<?> runNow(Runnable run);

    /** Lets a pending timer of a task that is due run, whatever the scheduler does with what is scheduled. */
    void forceRun(WheelTimer<?> timer);

    /** Returns the future of what is never to run; null if what is scheduled runs. */
    @Nullable
    ScheduledFuture<?> never();

    /** Returns the future of a task that is not enabled; rejects it if the scheduler has been shut down. */
    ScheduledFuture<?> inert(Runnable task);

    boolean isShutdown();

    /** Returns what is known of tasks before they are scheduled. */
    TaskCatalog catalog();

    /** Returns who may take tasks away; null for nobody. */
    @Nullable
    TaskRouter router();

    /** Returns what tells this node from others that do the same. */
    String node();

    /** Returns what the user's decorator makes of a task; the task itself if there is none. On the thread that schedules it. */
    Runnable decorate(Runnable task);

    /** Returns who counts failures and knows whom to tell. */
    RunFailures failures();

    /** Returns the wall clock. */
    Clock clock();

    /** Returns the time of the monotonic clock; 0 before there is an executor. */
    long nanoTime();
}
