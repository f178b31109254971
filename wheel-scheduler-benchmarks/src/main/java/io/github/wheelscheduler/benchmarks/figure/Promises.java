package io.github.wheelscheduler.benchmarks.figure;

/** The promises that ours must keep in every measurement. */
final class Promises {

    private Promises() {}

    static void check(Trial trial, long early, long onTimerThread) {
        if (trial.isOurs() && onTimerThread > 0) {
            throw new IllegalStateException("no task may run on the tick thread, " + onTimerThread + " did");
        }
        // Through an Instant, deadlines are those of another clock, which may run at another speed.
        if (trial.isOurs() && !trial.contender().startsWith("wheel-spring") && early > 0) {
            throw new IllegalStateException("no task may run early, " + early + " did");
        }
    }
}
