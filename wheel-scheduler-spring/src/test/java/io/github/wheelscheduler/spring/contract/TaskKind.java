package io.github.wheelscheduler.spring.contract;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.PeriodicTrigger;

/** Every way in which a task reaches a scheduler. */
enum TaskKind {
    EXECUTE((scheduler, task) -> {
        scheduler.execute(task);
        return null;
    }),
    SUBMIT_RUNNABLE(ThreadPoolTaskScheduler::submit),
    SUBMIT_CALLABLE((scheduler, task) -> scheduler.submit(Executors.callable(task))),
    SUBMIT_COMPLETABLE_RUNNABLE(ThreadPoolTaskScheduler::submitCompletable),
    SUBMIT_COMPLETABLE_CALLABLE((scheduler, task) -> scheduler.submitCompletable(Executors.callable(task))),
    ONE_TIME((scheduler, task) -> scheduler.schedule(task, now(scheduler))),
    FIXED_RATE((scheduler, task) -> scheduler.scheduleAtFixedRate(task, SchedulerFixture.PERIOD)),
    FIXED_RATE_FROM_START(
            (scheduler, task) -> scheduler.scheduleAtFixedRate(task, now(scheduler), SchedulerFixture.PERIOD)),
    FIXED_DELAY((scheduler, task) -> scheduler.scheduleWithFixedDelay(task, SchedulerFixture.PERIOD)),
    FIXED_DELAY_FROM_START(
            (scheduler, task) -> scheduler.scheduleWithFixedDelay(task, now(scheduler), SchedulerFixture.PERIOD)),
    TRIGGER((scheduler, task) -> scheduler.schedule(task, new PeriodicTrigger(SchedulerFixture.PERIOD)));

    @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
    private final Start start;

    TaskKind(Start start) {
        this.start = start;
    }

    /** Gives the task to the scheduler, due at once. */
    void start(ThreadPoolTaskScheduler scheduler, Runnable task) {
        var unused = start.apply(scheduler, task);
    }

    /** Gives the task to the scheduler, due at once, and returns its future, which only {@code EXECUTE} lacks. */
    Future<?> futureOf(ThreadPoolTaskScheduler scheduler, Runnable task) {
        return Objects.requireNonNull(start.apply(scheduler, task), "no future");
    }

    private static Instant now(ThreadPoolTaskScheduler scheduler) {
        return scheduler.getClock().instant();
    }

    @FunctionalInterface
    private interface Start {
        @Nullable
        Future<?> apply(ThreadPoolTaskScheduler scheduler, Runnable task);
    }
}
