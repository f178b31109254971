package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Slots;

/** One-time tasks with deadlines fixed beforehand, each with a slot of its own. */
final class Shots {

    private static final long PATIENCE_NANOS = 60 * Arming.SECOND_NANOS;

    private final Trial trial;
    private final Contender contender;
    private final BenchTask[] tasks;
    private final long[] deadlines;
    private final Slots slots;

    /** Makes tasks for the deadlines. */
    Shots(Trial trial, Contender contender, long[] deadlines) {
        this.trial = trial;
        this.contender = contender;
        this.deadlines = deadlines;
        this.slots = new Slots(deadlines.length, contender.timerThread());
        this.tasks = new BenchTask[deadlines.length];
        for (int i = 0; i < deadlines.length; i++) {
            tasks[i] = new Shot(slots, i);
        }
    }

    /** Adds to all deadlines, so that they need not count from the making of the tasks. */
    void startAt(long startNanos) {
        for (int i = 0; i < deadlines.length; i++) {
            deadlines[i] += startNanos;
            ((Shot) tasks[i]).deadlineNanos = deadlines[i];
        }
    }

    /**
     * Arms all, and returns how many nanoseconds that took.
     *
     * @throws IllegalStateException if that is not over when the first is due, except where being slow is no fault
     */
    long arm(long firstDueNanos) {
        long beforeNanos = System.nanoTime();
        for (int i = 0; i < tasks.length; i++) {
            Object ignored = contender.scheduleAt(tasks[i], deadlines[i]);
        }
        long afterNanos = System.nanoTime();
        if (!trial.isTiny() && afterNanos - firstDueNanos > 0) {
            throw new IllegalStateException("arming must end before the first timer is due, was late by "
                    + (afterNanos - firstDueNanos) / 1_000_000 + " ms");
        }
        return afterNanos - beforeNanos;
    }

    /** Arms all with one delay, each counting from its call, and returns how many nanoseconds that took. */
    long armWithDelay(long delayNanos) {
        long beforeNanos = System.nanoTime();
        for (BenchTask task : tasks) {
            ((Shot) task).deadlineNanos = System.nanoTime() + delayNanos;
            Object ignored = contender.schedule(task, delayNanos);
        }
        return System.nanoTime() - beforeNanos;
    }

    /** Waits for all runs. */
    void awaitAll(long lastDueNanos) {
        slots.awaitAll(lastDueNanos + PATIENCE_NANOS);
    }

    /** Returns all latenesses, after checking that each ran once and, for ours, in time and on a worker. */
    Percentiles checkedLateness() {
        slots.checkOnce();
        Percentiles all = latenessFrom(0);
        Promises.check(trial, all.negative(), slots.onTimerThread());
        return all;
    }

    /** Returns the latenesses of all but the first. */
    Percentiles latenessFrom(int first) {
        return new Percentiles(slots.takenBetween(first, slots.size()));
    }

    long onTimerThread() {
        return slots.onTimerThread();
    }

    private static final class Shot extends BenchTask {

        private final Slots slots;
        private final int index;

        /** Written before it is scheduled. */
        private long deadlineNanos;

        Shot(Slots slots, int index) {
            this.slots = slots;
            this.index = index;
        }

        @Override
        public void run() {
            slots.record(index, deadlineNanos);
        }
    }
}
