package io.github.wheelscheduler.durable.internal.trace;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The spans that have led to the next run of a row. Columns count only with the version of the row that wrote them: a
 * node that knows none of them leaves them as they are when it puts another task into the row.
 *
 * @param traceparent of the call that has scheduled the task, or has asked for the run; null for none
 * @param traceState null where the run only has a link to that
 * @param failedTraceparent of the attempt that has failed last; null for none
 * @param isByHand whether a run of a recurring task has been asked for
 */
public record RowOrigin(
        @Nullable String traceparent,
        @Nullable String traceState,
        @Nullable String failedTraceparent,
        boolean isByHand) {

    private static final String IF_CURRENT = "case when origin_version = version then ";

    /** The span of the attempt that has failed last, as a statement selects it. */
    public static final String FAILED_COLUMN = IF_CURRENT + "failed_traceparent end as failed_traceparent";

    private static final String CAUSE = "case when regular_time is null then 0 else 1 end as is_by_hand, ";

    /** As a statement selects it, with a comma behind it. */
    public static final String COLUMNS = IF_CURRENT + "traceparent end as traceparent, " + IF_CURRENT
            + "tracestate end as tracestate, " + FAILED_COLUMN + ", " + CAUSE;

    /** Returns the trace id in {@link #FAILED_COLUMN}; null for none. */
    public static @Nullable String failedTraceId(ResultSet row) throws SQLException {
        return Traceparent.traceIdOf(row.getString("failed_traceparent"));
    }

    /** The columns of it that statements select. */
    public enum Columns {
        /** Nothing. */
        NONE(""),
        /** Whether a run has been asked for. */
        CAUSE(RowOrigin.CAUSE),
        /** All. */
        ALL(COLUMNS);

        private final String text;

        Columns(String text) {
            this.text = text;
        }

        /** Returns the columns, with a comma behind them. */
        public String text() {
            return text;
        }

        /** Reads them; null for nothing. */
        public @Nullable RowOrigin read(ResultSet row) throws SQLException {
            return switch (this) {
                case NONE -> null;
                case CAUSE -> new RowOrigin(null, null, null, isByHand(row));
                case ALL ->
                    new RowOrigin(
                            row.getString("traceparent"),
                            row.getString("tracestate"),
                            row.getString("failed_traceparent"),
                            isByHand(row));
            };
        }

        private static boolean isByHand(ResultSet row) throws SQLException {
            return row.getInt("is_by_hand") == 1;
        }
    }
}
