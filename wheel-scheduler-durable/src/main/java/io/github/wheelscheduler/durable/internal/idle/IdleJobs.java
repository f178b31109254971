package io.github.wheelscheduler.durable.internal.idle;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a node in virtual time. While the node has a claimed task, each runs as often as in production. An idle
 * node does a job when its rows need it, and time jumps there. All but {@link #add} and {@link #clear} is called by the
 * thread that moves time, while nothing runs.
 */
public final class IdleJobs implements TimeSource.Poller {

    private static final int MOST_DOUBLINGS = 16;

    /** Beats find out first what there is to free. */
    private static final int PATIENT_BEATS = 8;

    private final WheelScheduledExecutor executor;
    private final List<TimeSource.Poller> pollers;
    private final LongSupplier incarnation;
    private final UndrivenNodes undriven;
    private final Question needs;
    private final BooleanSupplier beatUnheard;

    private final List<Job> all = new CopyOnWriteArrayList<>();

    private IdleJobs(
            WheelScheduledExecutor executor,
            List<TimeSource.Poller> pollers,
            LongSupplier incarnation,
            UndrivenNodes undriven,
            Question needs,
            BooleanSupplier beatUnheard) {
        this.executor = executor;
        this.pollers = pollers;
        this.incarnation = incarnation;
        this.undriven = undriven;
        this.needs = needs;
        this.beatUnheard = beatUnheard;
    }

    /**
     * Returns those of a node; null in the machine's time.
     *
     * @param incarnation that of the node now
     * @param undriven has seen none
     * @param needs asks when rows need the node next
     * @param beatUnheard beats without a statement, where nobody is there to hear it; false if it cannot
     */
    public static @Nullable IdleJobs of(
            WheelScheduledExecutor executor,
            LongSupplier incarnation,
            UndrivenNodes undriven,
            Question needs,
            BooleanSupplier beatUnheard) {
        List<TimeSource.Poller> pollers = executor.timeSource().pollers();
        return pollers == null ? null : new IdleJobs(executor, pollers, incarnation, undriven, needs, beatUnheard);
    }

    /** Asks the rows of a node. */
    public interface Question {

        /**
         * Asks when rows need the node next.
         *
         * @param isFull whether to ask also while the node has claimed tasks
         */
        Needs ask(IdleJobs jobs, Instant now, boolean isFull);
    }

    /** When an idle node does a job next; the need is null for the beat, which goes before those of others. */
    private static final class Job {

        private final WheelScheduledExecutor group;
        private final long pauseNanos;
        private final Runnable step;
        private final @Nullable Function<Needs, @Nullable Instant> need;

        private long nextNanos;
        private boolean hasRun;
        private long ranNanos;

        /** The time that the rows need it at, and the one that they needed it at when it last ran. */
        private @Nullable Instant needed;

        private @Nullable Instant tried;
        private int vain;

        private Job(
                WheelScheduledExecutor group,
                Duration pause,
                Runnable step,
                @Nullable Function<Needs, @Nullable Instant> need) {
            this.group = group;
            this.pauseNanos = pause.toNanos();
            this.step = step;
            this.need = need;
        }

        /** Returns when it comes as in production. */
        private long pacedNanos(long nowNanos) {
            return hasRun ? Math.max(nowNanos, ranNanos + pauseNanos) : nowNanos;
        }

        /**
         * Schedules the job for when it is needed. A job that is needed now and found nothing pauses, as a transaction
         * may have locked the row: twice as long each time, but never beyond the time at which another row needs it.
         */
        private void need(@Nullable Instant at, @Nullable Instant later, Instant now, long nowNanos) {
            needed = at;
            if (at == null || at.isAfter(now)) {
                tried = null;
                nextNanos = at == null ? Long.MAX_VALUE : nanosOf(at, now, nowNanos);
            } else if (at.equals(tried)) {
                int doublings = need == null ? Math.max(0, vain - PATIENT_BEATS) : vain;
                nextNanos = Math.max(nowNanos, ranNanos + (pauseNanos << Math.min(doublings, MOST_DOUBLINGS)));
                if (later != null && !at.equals(Needs.AT_ONCE)) {
                    nextNanos = Math.min(nextNanos, nanosOf(later, now, nowNanos));
                }
            } else {
                // No beat follows another at once.
                nextNanos = need == null ? pacedNanos(nowNanos) : nowNanos;
            }
        }

        private void note(long nowNanos) {
            vain = needed != null && needed.equals(tried) ? Math.min(vain + 1, MOST_DOUBLINGS + PATIENT_BEATS) : 0;
            tried = needed;
            hasRun = true;
            ranNanos = nowNanos;
            nextNanos = nowNanos + pauseNanos;
        }

        private boolean begin(long nowNanos) {
            note(nowNanos);
            try {
                Object ignored = group.submit(step);
                return true;
            } catch (RejectedExecutionException ex) {
                // Closed already.
                return false;
            }
        }
    }

    /** Adds a job, and the node to what time waits for. */
    public void add(
            WheelScheduledExecutor group,
            Duration pause,
            Runnable step,
            @Nullable Function<Needs, @Nullable Instant> need) {
        boolean ignored = all.add(new Job(group, pause, step, need)) && !pollers.contains(this) && pollers.add(this);
    }

    /** Ends all. */
    public void clear() {
        all.clear();
        boolean ignored = pollers.remove(this);
    }

    private boolean isOver() {
        return executor.isShutdown() || all.stream().anyMatch(job -> job.group.isShutdown());
    }

    /** Returns the incarnations of the nodes that live in this time. */
    public Set<Long> driven() {
        Set<Long> driven = pollers.stream()
                .filter(poller -> poller instanceof IdleJobs jobs && !jobs.isOver())
                .map(poller -> ((IdleJobs) poller).incarnation.getAsLong())
                .collect(Collectors.toSet());
        undriven.noteDriven(driven);
        return driven;
    }

    /** Returns the nodes that do not live in this time. */
    public UndrivenNodes undriven() {
        return undriven;
    }

    /** Returns when that is by the clock of the executor, now where it is past; the longest time beyond its range. */
    private static long nanosOf(Instant at, Instant now, long nowNanos) {
        long waitNanos = Math.max(0, TimeUnit.NANOSECONDS.convert(Duration.between(now, at)));
        long nanos = nowNanos + waitNanos;
        return nanos < nowNanos ? Long.MAX_VALUE : nanos;
    }

    @Override
    public long nextNanos() {
        if (isOver()) {
            clear();
            return Long.MAX_VALUE;
        }
        long nowNanos = executor.nanoTime();
        Instant now = executor.wallClockInstant();
        Needs needed = needs.ask(this, now, false);
        long next = Long.MAX_VALUE;
        for (Job job : all) {
            if (needed.mayJump()) {
                job.need(job.need == null ? needed.freeAt() : job.need.apply(needed), needed.laterAt(), now, nowNanos);
            } else {
                job.nextNanos = job.pacedNanos(nowNanos);
            }
            next = Math.min(next, job.nextNanos);
        }
        return next;
    }

    @Override
    public long dueNanos() {
        if (isOver()) {
            return Long.MAX_VALUE;
        }
        long nowNanos = executor.nanoTime();
        Instant now = executor.wallClockInstant();
        Needs needed = needs.ask(this, now, true);
        long due = needed.dueAt() == null ? Long.MAX_VALUE : nanosOf(needed.dueAt(), now, nowNanos);
        if (needed.isHeld()) {
            for (Job job : all) {
                due = Math.min(due, job.pacedNanos(nowNanos));
            }
        }
        return due;
    }

    @Override
    public void begin() {
        all.forEach(job -> job.tried = null);
        undriven.begin();
    }

    @Override
    public boolean beat() {
        long nowNanos = executor.nanoTime();
        boolean hasBegun = false;
        for (Job job : all) {
            if (job.need == null && (!job.hasRun || nowNanos - job.ranNanos >= job.pauseNanos)) {
                if (job.hasRun && beatUnheard.getAsBoolean()) {
                    job.note(nowNanos);
                } else {
                    hasBegun |= job.begin(nowNanos);
                }
            }
        }
        return hasBegun;
    }

    @Override
    public boolean poll() {
        long nowNanos = executor.nanoTime();
        for (Job job : all) {
            if (job.need != null && job.nextNanos <= nowNanos && job.begin(nowNanos)) {
                return true;
            }
        }
        return false;
    }
}
