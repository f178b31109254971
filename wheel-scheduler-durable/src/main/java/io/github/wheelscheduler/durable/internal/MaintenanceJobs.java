package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.internal.idle.IdleJobs;
import io.github.wheelscheduler.durable.internal.idle.Needs;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs jobs of a node: periodically, soon, or at once. A failure is noted, and ends no other job. Any thread. */
final class MaintenanceJobs {

    private final WheelScheduledExecutor group;
    private final Availability availability;
    private final @Nullable IdleJobs idleJobs;

    /** Work that is repeated. Writer: who connects. */
    private final List<Future<?>> series = new CopyOnWriteArrayList<>();

    /** @param idleJobs do the periodic work in virtual time; null in the machine's */
    MaintenanceJobs(WheelScheduledExecutor group, Availability availability, @Nullable IdleJobs idleJobs) {
        this.group = group;
        this.availability = availability;
        this.idleJobs = idleJobs;
    }

    /**
     * Repeats a job.
     *
     * @param need in virtual time, when rows need it; null for the beat
     */
    void every(Duration pause, Runnable step, @Nullable Function<Needs, @Nullable Instant> need) {
        every(group, pause, step, need);
    }

    /** The same in another group. */
    void every(
            WheelScheduledExecutor other,
            Duration pause,
            Runnable step,
            @Nullable Function<Needs, @Nullable Instant> need) {
        if (idleJobs != null) {
            idleJobs.add(other, pause, () -> guarded(step), need);
        } else {
            boolean ignored = series.add(
                    other.scheduleWithFixedDelay(() -> guarded(step), 0, pause.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    /** Ends the repeated jobs. */
    void endSeries() {
        for (Future<?> begun : series) {
            boolean ignored = begun.cancel(false);
        }
        series.clear();
        if (idleJobs != null) {
            idleJobs.clear();
        }
    }

    /** Does something once, unless they have been shut down. */
    void submit(Runnable step) {
        boolean ignored = accept(step);
    }

    /** The same; false if they have been shut down. */
    boolean accept(Runnable step) {
        try {
            Object ignored = group.submit(() -> guarded(step));
            return true;
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("The node has closed, so a background job is not run");
            return false;
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
            availability.hasWorked(step);
        } catch (Throwable ex) {
            // An error, too: it must not end the series.
            note(ex, step);
        }
    }

    private void note(Throwable ex, Object place) {
        try {
            if (DatabaseErrors.isOfDatabase(ex)) {
                availability.isAway(ex, place);
            } else {
                ThrownLog.error(
                        LOGGER,
                        "A background job of durable tasks, such as polling, failed; it is retried, and "
                                + "tasks may start late "
                                + "until then. Report this stack trace, unless memory was short",
                        ex);
            }
        } catch (Throwable again) {
            // There may be no memory for words.
        }
    }

    /** Something that a keeper does, which may wait for the pool: once, however often it is asked for until then. */
    final class Soon {

        private final AtomicBoolean isAsked = new AtomicBoolean();
        private final Runnable step;

        Soon(Runnable step) {
            this.step = step;
        }

        void in(long nanos) {
            if (isAsked.compareAndSet(false, true)) {
                try {
                    Object ignored = group.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
                } catch (Throwable ex) {
                    // An error, too: the next look, or the next heartbeat, finds it, and it may be asked for again.
                    isAsked.set(false);
                    if (!(ex instanceof RejectedExecutionException)) {
                        note(ex, step);
                    }
                }
            }
        }

        private void run() {
            isAsked.set(false);
            guarded(step);
        }
    }
}
