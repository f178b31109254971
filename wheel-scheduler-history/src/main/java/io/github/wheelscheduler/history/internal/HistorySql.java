package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import io.github.wheelscheduler.jdbc.internal.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Runs statements on the tables of a history. Any thread. */
final class HistorySql extends Statements {

    private static final Pattern TABLE = Pattern.compile("\\{(run|text|count|hour|day|kind|audit|state)}");

    private final DatabaseKind kind;
    private final String table;
    private final Function<DatabaseKind, String> now;

    /** Makes one whose statements have an expression of the caller's for the time. */
    HistorySql(DataSource dataSource, DatabaseKind kind, String table, Function<DatabaseKind, String> now) {
        super(dataSource, kind);
        this.kind = kind;
        this.table = table;
        this.now = now;
    }

    DatabaseKind kind() {
        return kind;
    }

    /** Fills in a statement: {run} and others are the tables, {now} is the time, {from_run} the hour of a row. */
    @Override
    public String text(String template) {
        return TABLE.matcher(template)
                .replaceAll(table + "_$1")
                .replace("{now}", now.apply(kind))
                .replace("{from_run}", hourOfRow());
    }

    private String hourOfRow() {
        return switch (kind) {
            case POSTGRESQL -> "date_trunc('hour', noted_at, 'UTC')";
            case MARIADB -> "date_add(date(noted_at), interval hour(noted_at) hour)";
            case H2 -> {
                String epoch = "timestamp with time zone '1970-01-01 00:00:00+00:00'";
                yield "dateadd(hour, datediff(hour, " + epoch + ", noted_at), " + epoch + ")";
            }
        };
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
