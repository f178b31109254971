package io.github.wheelscheduler.durable.internal.row;

import io.github.wheelscheduler.durable.DurableTask.State;
import java.util.List;

/** The states of a row, as in the column {@code state}, and their transitions. */
public final class RowState {

    /** It waits for its time, and can be claimed. */
    public static final int WAITING = 0;

    /** The incarnation in {@code owner} has it. */
    public static final int CLAIMED = 1;

    /** It has failed for good. */
    public static final int FAILED = 2;

    /** No node could read it; {@code execution_time} is when it is tried again. */
    public static final int UNREADABLE = 3;

    /** It is a recurring task that is paused, and no node has it. */
    public static final int PAUSED = 4;

    /**
     * It is a recurring task whose schedule has ended, or a one-time task that its node has ended, as it was asked to.
     */
    public static final int ENDED = 5;

    public static final String UNSUSPECTED = "unreadable = null, suspicions = null, marked = null, deaths = null";

    /** As users call the first ones. */
    private static final List<State> STATES = List.of(State.SCHEDULED, State.CLAIMED, State.FAILED, State.UNREADABLE);

    private static final String ENDED_IF_ASKED = " state = case when asked_to_end then " + ENDED;
    private static final String NOBODYS = ", owner = null, version = {next}";

    /** The end of a claim: a paused row waits for nothing, and a row that was to be ended is ended. */
    public static final String FREED = ENDED_IF_ASKED + " when paused and regular_time is null then " + PAUSED
            + " else " + WAITING + " end" + NOBODYS;

    /** The end of a claim whose row is as if it had never run. */
    public static final String RENEWED =
            "consecutive_failures = 0, " + UNSUSPECTED + ", asked_to_end = null, state = " + WAITING + NOBODYS;

    private RowState() {}

    /** Returns how a row is left that has failed for good, or cannot be read, unless it was to be ended. */
    public static String keptAs(int state) {
        return ENDED_IF_ASKED + " else " + state + " end" + NOBODYS;
    }

    /** Returns what users call a state. */
    public static State read(int state) {
        return state < STATES.size() ? STATES.get(state) : State.SCHEDULED;
    }

    /** Returns the state that users call so. */
    public static int of(State state) {
        return STATES.indexOf(state);
    }
}
