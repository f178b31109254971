package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Dialect;
import io.github.wheelscheduler.durable.internal.Sql;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one task that lists do not show.
 *
 * @param handler the handler that runs it
 * @param attempt the number of the run that is active or comes next
 * @param firstDueAt the time at which it was due at first, if that was before
 * @param deaths the number of nodes that died while it ran alone on them, as a suspect
 * @param retries the number of its retries in place of its handler's; null for its handler's
 * @param error why it failed last, with the stack trace; null if it did not, or will run again without a word
 * @param payloadBytes the length of its payload, including the name of its format
 * @param traceId of the attempt that has failed last; null if none is known
 */
public record TaskDetails(
        String handler,
        int attempt,
        @Nullable Instant firstDueAt,
        int deaths,
        @Nullable Integer retries,
        @Nullable String error,
        boolean isErrorCut,
        int payloadBytes,
        @Nullable String traceId) {

    private static final int ERROR_LENGTH = 65_536;
    private static final String ONE = " from {task} where task_name = ? and task_instance = ?";

    /** Reads the one of a handler; null if there is none. */
    public static @Nullable TaskDetails ofTask(Tables tables, String handler, String id) {
        Sql sql = tables.sql();
        return sql.first(
                "select consecutive_failures, earlier_attempts, first_time, deaths, retries, substring(failure, 1, "
                        + (ERROR_LENGTH + 1) + ") as error, octet_length(task_data) as bytes, "
                        + RowOrigin.FAILED_COLUMN + ONE,
                (row, number) -> read(sql.dialect(), handler, row),
                handler,
                id);
    }

    private static TaskDetails read(Dialect dialect, String handler, ResultSet row) throws SQLException {
        String error = row.getString("error");
        boolean isCut = error != null && error.length() > ERROR_LENGTH;
        int retries = row.getInt("retries");
        boolean hasRetries = !row.wasNull();
        return new TaskDetails(
                handler,
                row.getInt("consecutive_failures") + row.getInt("earlier_attempts") + 1,
                dialect.instant(row, "first_time"),
                row.getInt("deaths"),
                hasRetries ? retries : null,
                isCut ? Objects.requireNonNull(error).substring(0, ERROR_LENGTH) : error,
                isCut,
                row.getInt("bytes"),
                RowOrigin.failedTraceId(row));
    }

    /**
     * The beginning of a payload.
     *
     * @param json its bytes, from where its JSON begins
     * @param format the name of its format; null if nothing says it
     * @param isCut whether the payload is longer
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares payloads
    public record Payload(byte[] json, @Nullable String format, boolean isCut) {}

    /** Reads the beginning of the payload of this task; null if the task is gone. */
    public @Nullable Payload payload(Tables tables, String id, int most) {
        Sql sql = tables.sql();
        // The name of the format comes before the JSON.
        int length = most + 64;
        return sql.first(
                "select format, substring(task_data, 1, " + length + ") as beginning" + ONE,
                (row, number) -> {
                    byte[] bytes = Objects.requireNonNullElse(row.getBytes("beginning"), new byte[0]);
                    Payloads.Stored stored = Payloads.Stored.of(bytes, row.getString("format"));
                    int end = Math.min(bytes.length, stored.start() + most);
                    byte[] json = Arrays.copyOfRange(bytes, Math.min(stored.start(), end), end);
                    return new Payload(json, stored.format(), payloadBytes > end);
                },
                handler,
                id);
    }
}
