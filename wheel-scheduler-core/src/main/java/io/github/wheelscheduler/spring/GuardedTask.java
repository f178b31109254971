package io.github.wheelscheduler.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;

/** What runs in place of a registered task: it never runs beside itself, or while it is paused, and takes notes. */
final class GuardedTask extends DelegatingErrorHandlingRunnable {

    private static final long NOT_TOLD = -1;
    private static final long SHORTEST_CRON_INTERVAL_NANOS = 1_000_000_000;

    private final Runnable task;
    private final RegisteredTask owner;
    private final TaskRegistry registry;
    private final FailureRecorder failures;
    private final RunHistory history = new RunHistory();

    /** The thread in the run; claimed from null. */
    private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();

    /** Guards an interrupt against the end of the run that it is meant for. */
    private final Object interruptLock = new Object();

    /** Guarded by {@link #interruptLock}. */
    private boolean interrupted;

    private volatile @Nullable Instant runningSince;

    /** Written before {@link #runningSince}. */
    private volatile long runningSinceNanos;

    /** What the next run on the same thread has waited for. */
    private long latenessNanos = NOT_TOLD;

    GuardedTask(RegisteredTask owner, TaskRegistry registry, Runnable task, FailureRecorder failures) {
        super(task, failures);
        this.task = task;
        this.owner = owner;
        this.registry = registry;
        this.failures = failures;
    }

    /** Says how late the run that follows on this thread starts. */
    void startsLate(long nanos) {
        latenessNanos = nanos;
    }

    @Override
    public void run() {
        long late = Math.max(0, latenessNanos);
        latenessNanos = NOT_TOLD;
        runUnlessRunning(late, false);
    }

    /** Runs outside of the schedule. */
    void runTriggered() {
        runUnlessRunning(0, true);
    }

    private void runUnlessRunning(long late, boolean triggered) {
        // First: a run that does not take place must not be in the way of one that somebody asks for.
        if (!triggered && owner.isHeldBack()) {
            skipped(SkipReason.PAUSED);
            return;
        }
        if (!runner.compareAndSet(null, Thread.currentThread())) {
            skipped(SkipReason.RUNNING);
            return;
        }
        try {
            if (owner.takeRun()) {
                perform(late, triggered);
            } else {
                skipped(SkipReason.RUNNING);
            }
        } finally {
            runner.set(null);
        }
    }

    private void skipped(SkipReason reason) {
        history.skipped();
        registry.skipped(owner, reason);
    }

    private void perform(long late, boolean triggered) {
        Instant startedAt = registry.instant();
        long startNanos = registry.nanoTime();
        runningSinceNanos = startNanos;
        runningSince = startedAt;
        Throwable ignored = failures.take();
        try {
            super.run();
        } finally {
            long nanos = registry.nanoTime() - startNanos;
            runningSince = null;
            endInterrupt();
            Throwable thrown = failures.take();
            if (thrown == null) {
                failures.succeeded();
            }
            RunOutcome outcome = new RunOutcome(
                    startedAt,
                    Duration.ofNanos(nanos),
                    Duration.ofNanos(late),
                    triggered,
                    thrown == null ? null : RunOutcome.Failure.of(thrown));
            boolean overran = !triggered && hasOverrun(startedAt.minusNanos(late), nanos);
            history.ran(outcome, overran);
            registry.ran(owner, outcome, overran);
        }
    }

    /** Whether the run took longer than it is from its deadline to the next one. */
    private boolean hasOverrun(Instant deadline, long nanos) {
        TaskSchedule current = owner.schedule();
        boolean mayOverrun = current instanceof TaskSchedule.FixedRate
                || (nanos > SHORTEST_CRON_INTERVAL_NANOS
                        && (current instanceof TaskSchedule.Cron || current instanceof TaskSchedule.Calendar));
        if (!mayOverrun) {
            return false;
        }
        // Calendars name whole seconds, the deadline is read from two clocks.
        Duration interval = current.intervalAfter(deadline.minusNanos(SHORTEST_CRON_INTERVAL_NANOS / 2));
        return interval != null && interval.compareTo(Duration.ofNanos(nanos)) < 0;
    }

    /** Interrupts the run if it has been going on for longer, and says whether it did. */
    boolean interruptIfRunningFor(long limitNanos) {
        synchronized (interruptLock) {
            Thread thread = runner.get();
            if (thread == null || runningSince == null || registry.nanoTime() - runningSinceNanos < limitNanos) {
                return false;
            }
            interrupted = true;
            thread.interrupt();
            return true;
        }
    }

    private void endInterrupt() {
        synchronized (interruptLock) {
            if (interrupted) {
                interrupted = false;
                boolean ignored = Thread.interrupted();
            }
        }
    }

    /** Returns the user's task. */
    Runnable task() {
        return task;
    }

    String id() {
        return owner.id();
    }

    boolean isRunning() {
        return runner.get() != null;
    }

    /** Returns since when it is running; null if it is not. */
    @Nullable
    Instant runningSince() {
        return runningSince;
    }

    RunHistory history() {
        return history;
    }

    /** A run that somebody has asked for, outside of the schedule. */
    record Triggered(GuardedTask task) implements Runnable {

        @Override
        public void run() {
            task.runTriggered();
        }

        @Override
        public String toString() {
            return "triggered " + task.owner.id();
        }
    }
}
