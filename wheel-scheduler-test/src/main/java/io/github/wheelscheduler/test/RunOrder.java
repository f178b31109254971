package io.github.wheelscheduler.test;

/** How runs come that are due at one instant. */
public enum RunOrder {
    /** One after the other, in the order of their scheduling; those of several schedulers in turns. */
    SCHEDULED(1),

    /** One after the other, in a random order that a seed decides. A failure names the seed; with the same one, the order is the same. */
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
