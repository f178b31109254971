package io.github.wheelscheduler.test;

/** The order of runs that are due at one instant. */
public enum RunOrder {
    /**
     * One after the other: by time, then in the order of scheduling; several schedulers take turns in the order in
     * which they joined.
     */
    SCHEDULED(1),

    /**
     * One after the other, in a random order of all due runs of all schedulers. A seed decides the order, and a failure
     * names it; the same seed gives the same order.
     */
    RANDOM(1),

    /** Side by side, on as many workers as the scheduler has, as in production. */
    SIDE_BY_SIDE(1 << 30);

    private final int atATime;

    RunOrder(int atATime) {
        this.atATime = atATime;
    }

    int atATime() {
        return atATime;
    }
}
