package io.github.wheelscheduler.history;

import java.util.Locale;

/** The outcomes of a run, or the causes for which there was none. Each has a number in the database. */
public enum HistoryOutcome {
    /** The run ended well. */
    SUCCESS(0, Kind.SUCCESS),
    /** The run failed; a durable task may be retried. */
    FAILURE(1, Kind.FAILURE),
    /** The run was interrupted, as by its time limit, and failed because of that. */
    INTERRUPTED(2, Kind.FAILURE),
    /** The last retry of a durable task failed, or its handler gave up. */
    GIVEN_UP(3, Kind.FAILURE),
    /** A run was due and did not take place: the task was paused or still running, or its group was full. */
    SKIPPED(4, Kind.NOT_RUN),
    /** Runs were missed and not caught up; one row counts them. */
    MISSED(5, Kind.NOT_RUN),
    /** The task was refused. */
    REJECTED(6, Kind.NOT_RUN),
    /** The task was cancelled before it ran. */
    CANCELLED(7, Kind.NOT_RUN),
    /** A durable task that no node could read was put aside. */
    PUT_ASIDE(8, Kind.NOT_RUN),
    /** The node of a durable task died; another one runs it. It is unknown whether the run had begun. */
    TAKEN_OVER(9, Kind.NOT_RUN);

    /** The kinds of outcomes, each of which has a budget of rows of its own. */
    public enum Kind {
        /** A run that ended well. */
        SUCCESS,
        /** A run that failed. */
        FAILURE,
        /** A run that did not take place. */
        NOT_RUN
    }

    private static final HistoryOutcome[] ALL = values();

    private final int code;
    private final Kind kind;

    HistoryOutcome(int code, Kind kind) {
        this.code = code;
        this.kind = kind;
    }

    /** Returns the kind, whose rows share a budget. */
    public Kind kind() {
        return kind;
    }

    /** Returns the number in the database. */
    public int code() {
        return code;
    }

    /** Returns the outcome of a number in the database. */
    public static HistoryOutcome of(int code) {
        return ALL[code];
    }

    /** Returns the word in meters, in JSON and in addresses. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
