package io.github.wheelscheduler.durable;

/** What a row is, as the column {@code state} has it. */
final class RowState {

    /** It waits for its time, and can be claimed. */
    static final int WAITING = 0;

    /** The incarnation in {@code owner} has it. */
    static final int CLAIMED = 1;

    /** It has failed for good. */
    static final int FAILED = 2;

    /** No node could read it; {@code execution_time} is when it is tried again. */
    static final int UNREADABLE = 3;

    /** It is a recurring task that somebody has paused, and no node has it. */
    static final int PAUSED = 4;

    /** It is a recurring task whose schedule has ended. */
    static final int ENDED = 5;

    private RowState() {}
}
