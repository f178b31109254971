package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.ManagedTask;
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
    public final String toString() {
        return taskName();
    }

    /** Of a timer that has replaced the first one. */
    static final class Later extends SteeredRun {

        private final int generation;

        Later(GuardedTask task, int generation) {
            super(task);
            this.generation = generation;
        }

        @Override
        public void run() {
            task.runDue(generation);
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
