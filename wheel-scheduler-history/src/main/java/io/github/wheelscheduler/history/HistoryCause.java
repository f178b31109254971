package io.github.wheelscheduler.history;

import java.util.Locale;

/** The cause of a run. Each has a number in the database. */
public enum HistoryCause {
    /** Its schedule, or the time that it was scheduled for. */
    SCHEDULE(0),
    /** A run that was missed before. */
    CAUGHT_UP(1),
    /** A failure before. */
    RETRY(2),
    /** A call that triggered the task. */
    BY_HAND(3);

    private static final HistoryCause[] ALL = values();

    private final int code;

    HistoryCause(int code) {
        this.code = code;
    }

    /** Returns the number in the database. */
    public int code() {
        return code;
    }

    /** Returns the cause of a number in the database. */
    public static HistoryCause of(int code) {
        return ALL[code];
    }

    /** Returns the word in JSON and in addresses. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
