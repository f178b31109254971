package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;

/** What a timer runs that somebody has armed who steers a task. Of this type, so that no error handler is put around. */
abstract class SteeredRun extends DelegatingErrorHandlingRunnable implements TaskWrapper, ManagedTask {

    final GuardedTask task;

    private SteeredRun(GuardedTask task) {
        super(task, failure -> {});
        this.task = task;
    }

    @Override
    public final Runnable wrapped() {
        return task;
    }

    @Override
    public final boolean isSteered() {
        return true;
    }

    @Override
    public final String taskName() {
        return task.taskName();
    }

    @Override
    public final void missed(long runs) {
        task.missed(runs);
    }

    @Override
    public final void refused(RejectedExecutionException reason) {
        task.refused(reason);
    }

    @Override
    public final String toString() {
        return taskName();
    }

    /** Of a timer that has replaced the first one. */
    static final class Later extends SteeredRun {

        private final int generation;
        private final @Nullable Pace pace;

        Later(GuardedTask task, int generation, @Nullable Pace pace) {
            super(task);
            this.generation = generation;
            this.pace = pace;
        }

        @Override
        public @Nullable Pacing pacing() {
            return pace;
        }

        @Override
        public void run() {
            task.runDue(generation, pace);
        }
    }

    /** Outside of the schedule, because somebody has asked for it. */
    static final class Triggered extends SteeredRun {

        Triggered(GuardedTask task) {
            super(task);
        }

        @Override
        public boolean runsAtOnce() {
            return true;
        }

        @Override
        public void run() {
            task.runTriggered();
        }
    }
}
