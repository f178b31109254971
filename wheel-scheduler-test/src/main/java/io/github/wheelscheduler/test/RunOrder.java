package io.github.wheelscheduler.test;

/** How runs come that are due at one instant. */
public enum RunOrder {
    /** One after the other: by time, then in the order of their scheduling; those of several schedulers in the order in which these joined. */
    SCHEDULED(1),

    /** One after the other, in a random order of all that are due on any scheduler, which a seed decides. A failure names the seed; with the same one, the order is the same. */
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
