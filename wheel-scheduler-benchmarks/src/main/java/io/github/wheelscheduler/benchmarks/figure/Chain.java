package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.contender.Probe;

/** A task each run of which asks for the next, until its time is over. */
final class Chain extends BenchTask {

    private final Contender contender;
    private final boolean isScheduled;
    private final Probe end = new Probe();

    /** Written before the first run. */
    private long endNanos;

    /** One run after the other uses it, and then who has waited for the last. */
    private long steps;

    /** Makes a chain of tasks that are executed, or scheduled without delay. */
    Chain(Contender contender, boolean isScheduled) {
        this.contender = contender;
        this.isScheduled = isScheduled;
    }

    /** Runs for so long, and returns how many nanoseconds a step has taken. */
    double run(long forNanos) {
        long startNanos = System.nanoTime();
        start(startNanos + forNanos);
        long counted = awaitSteps();
        return (double) (end.ranNanos() - startNanos) / counted;
    }

    /** Starts, and goes on until then. */
    void start(long untilNanos) {
        endNanos = untilNanos;
        next();
    }

    /** Waits for the end, and returns how many steps there were. */
    long awaitSteps() {
        long ignored = end.awaitNanos();
        return steps;
    }

    @Override
    public void run() {
        steps++;
        if (System.nanoTime() - endNanos < 0) {
            next();
        } else {
            end.run();
        }
    }

    private void next() {
        if (isScheduled) {
            Object ignored = contender.schedule(this, 0);
        } else {
            contender.execute(this);
        }
    }
}
