package io.github.wheelscheduler.history.internal;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import io.github.wheelscheduler.jdbc.internal.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.RowMapper;

/** Runs statements on the tables of a history. Any thread. */
final class HistorySql extends Statements {

    private static final Pattern TABLE = Pattern.compile("\\{(run|text|count|hour|day|kind|audit|state)}");

    private static final String EPOCH = "timestamp with time zone '1970-01-01 00:00:00+00:00'";

    private final DatabaseKind kind;
    private final String table;
    private final Function<DatabaseKind, String> now;
    private final Duration queryTimeout;

    /** Makes one whose statements have an expression of the caller's for the time. */
    HistorySql(DataSource dataSource, DatabaseKind kind, HistorySettings settings, Function<DatabaseKind, String> now) {
        super(dataSource, kind);
        this.kind = kind;
        this.table = settings.table();
        this.queryTimeout = settings.queryTimeout();
        this.now = now;
    }

    DatabaseKind kind() {
        return kind;
    }

    /**
     * Fills in a statement: {run} and others are the tables, {now} is the time, {from_run} the hour of a row, and
     * {folded} the first hour that has not been added up.
     */
    @Override
    public String text(String template) {
        return TABLE.matcher(template)
                .replaceAll(table + "_$1")
                .replace("{folded}", "(select " + folded() + " from " + table + "_state where name = 'folded')")
                .replace("{now}", now.apply(kind))
                .replace("{from_run}", hourOfRow());
    }

    private String hourOfRow() {
        return switch (kind) {
            case POSTGRESQL -> "date_trunc('hour', noted_at, 'UTC')";
            case MARIADB -> "date_add(date(noted_at), interval hour(noted_at) hour)";
            case H2 -> "dateadd(hour, datediff(hour, " + EPOCH + ", noted_at), " + EPOCH + ")";
        };
    }

    private String folded() {
        return switch (kind) {
            case POSTGRESQL -> "to_timestamp(number)";
            case MARIADB -> "timestampadd(second, number, timestamp '1970-01-01 00:00:00')";
            case H2 -> "dateadd(second, number, " + EPOCH + ")";
        };
    }

    /**
     * Answers a question of a user's, which may be a large one, within the limit.
     *
     * @throws QueryTimeoutException if the database does not answer in time
     */
    <T> List<T> ask(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        try {
            int seconds = Math.toIntExact(queryTimeout.toSeconds());
            return committedPlanned(
                    jdbc -> within(seconds, jdbc, () -> jdbc.query(text(template), mapper, parameters)));
        } catch (DataAccessException ex) {
            throw DatabaseErrors.isOfStatement(ex)
                    ? new QueryTimeoutException(
                            "A question to the history must be answered within " + exactly(queryTimeout)
                                    + ", but was not; ask for a shorter range of time, or for a task",
                            ex)
                    : ex;
        }
    }

    /** Returns the time by the database's clock. */
    Instant now() {
        // A select without a table.
        return Objects.requireNonNull(first("select {now} as noted_at", (row, number) -> time(row, "noted_at")));
    }

    Object time(Instant instant) {
        return kind.time(instant);
    }

    Instant time(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNullElse(kind.instant(row, column), Instant.EPOCH);
    }
}
