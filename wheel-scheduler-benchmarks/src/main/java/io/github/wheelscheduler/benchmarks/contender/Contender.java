package io.github.wheelscheduler.benchmarks.contender;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A scheduler under comparison, reduced to what all of them can do. Times are those of {@link System#nanoTime}. */
public interface Contender extends AutoCloseable {

    /** The delay of the task that shows when all before it has been taken in. */
    long PROBE_DELAY_NANOS = 100_000;

    /** Runs the task once, after the delay, and returns a handle to cancel or move it. */
    Object schedule(BenchTask task, long delayNanos);

    /** Runs the task once, at the deadline, and returns a handle to cancel or move it. */
    default Object scheduleAt(BenchTask task, long deadlineNanos) {
        return schedule(task, deadlineNanos - System.nanoTime());
    }

    /** Runs the task now, as an {@link java.util.concurrent.Executor} does. */
    default void execute(BenchTask task) {
        Object ignored = schedule(task, 0);
    }

    /** Runs the task now, and returns its future. */
    default Future<?> submit(BenchTask task) {
        throw new UnsupportedOperationException("a contender that is no executor cannot submit a task for a future");
    }

    /** Cancels what a handle stands for. */
    void cancel(Object handle);

    /** Puts a pending task off until the delay from now has passed, and returns its handle from then on. */
    default Object move(Object handle, BenchTask task, long delayNanos) {
        cancel(handle);
        return schedule(task, delayNanos);
    }

    /** Runs the task at the deadline and at each period after it. */
    void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos);

    /** Runs the task after the delay and then at each period, and returns a handle to cancel it. */
    default Object repeating(BenchTask task, long delayNanos, long periodNanos) {
        throw new UnsupportedOperationException("only schedulers of Java and Spring have handles of repeating tasks");
    }

    /** Runs the task at the deadline and then each time the delay after the end of the run before. */
    void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos);

    /** Waits until all that this thread has asked for before has been taken in, and returns how long that took. */
    default long absorb() {
        // With a delay: what is due at once may take a shorter way than the rest.
        Probe probe = new Probe();
        Object ignored = schedule(probe, PROBE_DELAY_NANOS);
        return Math.max(0, probe.awaitNanos() - PROBE_DELAY_NANOS);
    }

    /**
     * Returns the thread that keeps the time, if it is not one of those meant to run tasks; null if there is none. To
     * be called after a task has run.
     */
    default @Nullable Thread timerThread() {
        return null;
    }

    /** Returns where tasks go that hold their worker for long: this, unless it has a place of its own for them. */
    default Contender forSlowTasks() {
        return this;
    }

    /** Reads the metrics once, as a monitoring system does now and then; does nothing if the contender has none. */
    default void look() {}

    /** Drops what is pending and stops the threads. */
    @Override
    void close();
}
