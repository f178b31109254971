package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.RunObserver;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;

/** Passes on what is seen of runs to whom it concerns: distributions, listeners, warnings, the watch, the task itself. */
final class SchedulerObservation implements RunObserver, TaskRegistry.OverrunListener {

    private final WheelScheduledExecutor executor;
    private final SchedulerWarnings warnings;
    private final RunWatch watch;
    private final PauseGate pauseGate;
    private final RunLateness lateness;
    private final long oversleepNanos;
    private final long queueWaitNanos;

    SchedulerObservation(
            String name,
            WheelScheduledExecutor executor,
            RunLateness lateness,
            WarningLimits limits,
            PauseGate pauseGate,
            ThreadFactory watchThreads) {
        this.executor = executor;
        this.warnings = new SchedulerWarnings(name, executor::nanoTime);
        this.watch = new RunWatch(executor, watchThreads, warnings, limits);
        this.lateness = lateness;
        this.pauseGate = pauseGate;
        this.oversleepNanos = limits.oversleep().toNanos();
        this.queueWaitNanos = limits.queueWait().toNanos();
    }

    @Override
    public void starting(Object task, long wheelNanos, long queueNanos, long nowNanos) {
        Object known = GuardedTask.behind(task);
        if (known instanceof GuardedTask guarded && !(task instanceof GuardedTask.Triggered)) {
            guarded.startsLate(wheelNanos + queueNanos, nowNanos);
        }
        try {
            note(known, wheelNanos, queueNanos, nowNanos);
        } finally {
            // Whatever becomes of the notes: the run that starts may be the one to watch.
            watch.runStarts();
        }
    }

    private void note(Object known, long wheelNanos, long queueNanos, long nowNanos) {
        lateness.starting(wheelNanos, queueNanos, nowNanos);
        if (wheelNanos > oversleepNanos) {
            warnings.overslept(wheelNanos, known);
        }
        if (queueNanos > queueWaitNanos && pauseGate.nanosNotPaused(queueNanos, nowNanos) > queueWaitNanos) {
            warnings.cannotKeepUp(queueNanos, known, this::workersText);
        }
    }

    private String workersText() {
        WheelSnapshot seen = executor.snapshot();
        return seen.ready() + " due tasks wait, and " + seen.active() + " of " + seen.workers() + " workers are busy";
    }

    @Override
    public void overran(RegisteredTask task, long nanos) {
        warnings.overran(task.id(), Duration.ofNanos(nanos), task.schedule());
    }

    void stop() {
        watch.stop();
    }
}
