package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.trace.DurableTraces;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
import io.github.wheelscheduler.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;

/** Runs statements on the tables of durable tasks. Any thread. */
public final class Sql extends Statements {

    static final String UNLINKED =
            "traceparent = null, tracestate = null, failed_traceparent = null, origin_version = null, ";

    private final Dialect dialect;
    private final String table;
    private final Function<Dialect, String> now;
    private final DurableTraces traces;

    Sql(DataSource dataSource, Dialect dialect, String table) {
        this(dataSource, dialect, table, Dialect::now, new DurableTraces());
    }

    /**
     * Makes one whose statements have an expression of the caller's for the time, and whose rows keep spans, perhaps.
     */
    Sql(DataSource dataSource, Dialect dialect, String table, Function<Dialect, String> now, DurableTraces traces) {
        super(dataSource, dialect.kind());
        this.traces = traces;
        this.dialect = dialect;
        this.table = table;
        this.now = now;
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Whether rows keep spans. */
    boolean keepsOrigins() {
        return traces.isKept();
    }

    /** Returns what {origin} selects. */
    RowOrigin.Columns origin() {
        return traces.columns();
    }

    DurableTraces traces() {
        return traces;
    }

    /**
     * Fills in a statement: {task} and {node} are the tables, {now} is the time, {next} the version that follows. Where
     * rows keep spans, {origin} selects them, {unlinked} forgets them, and they count with the next version, too. For a
     * history, {origin} selects whether a run has been asked for.
     */
    @Override
    public String text(String template) {
        return (keepsOrigins()
                        ? withOrigins(template)
                        : template.replace("{origin}", origin().text()).replace("{unlinked}", ""))
                .replace("{task}", table)
                .replace("{node}", table + "_node")
                .replace("{now}", now.apply(dialect))
                // The greatest version is followed by the first.
                .replace("{next}", "version % " + Long.MAX_VALUE + " + 1");
    }

    /** Before the version is set, as MariaDB sets one column after another. */
    private static String withOrigins(String template) {
        String text = template.replace("{origin}", RowOrigin.COLUMNS).replace("{unlinked}", UNLINKED);
        return text.contains("origin_version = ") && !template.contains("{origin}")
                ? text
                : text.replace(
                        "version = {next}",
                        "origin_version = case when origin_version = version then {next} end, version = {next}");
    }

    /**
     * Returns those of some rows that are there in the same version on a connection beside that of the caller, which
     * reads what has been committed by now.
     */
    Set<RowKey> seenByOthers(Collection<RowKey> rows) {
        return seenByOthers(rows, Connection.TRANSACTION_READ_COMMITTED);
    }

    /**
     * Returns those of some rows that may still be there in the same version, be it committed or not, as far as can be
     * known without a lock. MariaDB locks what is between rows for a row that is not there, until the transaction ends.
     */
    Set<RowKey> perhapsThere(Set<RowKey> rows) {
        return rows.isEmpty() || dialect != Dialect.MARIADB
                ? rows
                : seenByOthers(rows, Connection.TRANSACTION_READ_UNCOMMITTED);
    }

    private Set<RowKey> seenByOthers(Collection<RowKey> rows, int level) {
        try (Connection connection = another()) {
            int isolation = connection.getTransactionIsolation();
            connection.setTransactionIsolation(level);
            try {
                return seen(connection, rows);
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
                connection.setTransactionIsolation(isolation);
            }
        } catch (SQLException ex) {
            throw Objects.requireNonNullElseGet(
                    exceptions().translate("Failed to read rows that other transactions see", null, ex),
                    () -> new UncategorizedSQLException("Failed to read rows that other transactions see", null, ex));
        }
    }

    private Connection another() {
        try {
            return target().getConnection();
        } catch (SQLException ex) {
            throw new CannotGetJdbcConnectionException(
                    "The pool must have a second free connection to read what other transactions see, but has none: "
                            + ex.getMessage(),
                    ex);
        }
    }

    private Set<RowKey> seen(Connection connection, Collection<RowKey> rows) throws SQLException {
        Set<RowKey> seen = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(text("select 1 from {task}" + RowKey.OURS))) {
            for (RowKey row : rows) {
                statement.setString(1, row.handler());
                statement.setString(2, row.id());
                statement.setLong(3, row.version());
                try (ResultSet found = statement.executeQuery()) {
                    boolean ignored = found.next() && seen.add(row);
                }
            }
        }
        return seen;
    }

    /** Runs it once for each key, in the order in which rows are locked. */
    int updateEach(String template, Collection<RowKey> rows, Function<RowKey, Object[]> parameters) {
        return updateEach(template, rows.stream().sorted().map(parameters).toList());
    }

    /** Returns the keys of the rows that a condition is true of. */
    List<RowKey> keys(String condition, @Nullable Object... parameters) {
        return query("select task_name, task_instance, version from {task}" + condition, RowKey::read, parameters);
    }

    @Nullable
    Object timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : dialect.time(instant);
    }
}
