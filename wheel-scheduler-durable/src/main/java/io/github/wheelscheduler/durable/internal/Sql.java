package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.trace.DurableTraces;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runs statements on the tables. A statement of a user's takes part in the user's transaction; one of a node commits by itself. Any thread.
 */
public final class Sql {

    static final String UNLINKED =
            "traceparent = null, tracestate = null, failed_traceparent = null, origin_version = null, ";

    private static final int MOST_REPEATS = 5;
    private static final long LEAST_PAUSE_NANOS = 1_000_000;
    private static final long MOST_PAUSE_NANOS = 20_000_000;

    /** The name of transactions that begin here. */
    private static final String OWN = Sql.class.getName();

    private final DataSource dataSource;

    /** Whether this is about one connection that a node keeps. */
    private final boolean isKept;

    private final Dialect dialect;
    private final String table;
    private final Function<Dialect, String> now;
    private final DurableTraces traces;
    private final JdbcTemplate outer;

    /** For rows of a node; reads what is committed, so that no two wait for each other because of what is between rows. */
    private final TransactionTemplate transaction;

    /** One connection that a node keeps. A DataSource of the user's may be of the type that this one extends. */
    static final class Kept extends SingleConnectionDataSource {

        Kept(Connection connection) {
            super(connection, true);
        }
    }

    Sql(DataSource dataSource, Dialect dialect, String table) {
        this(dataSource, dialect, table, Dialect::now, new DurableTraces());
    }

    /** Makes one whose statements have an expression of the caller's for the time, and whose rows keep spans, perhaps. */
    Sql(DataSource dataSource, Dialect dialect, String table, Function<Dialect, String> now, DurableTraces traces) {
        this.traces = traces;
        this.dataSource = dataSource;
        this.isKept = dataSource instanceof Kept;
        this.dialect = dialect;
        this.table = table;
        this.now = now;
        this.outer = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.setName(OWN);
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Whether rows keep spans. */
    boolean keepsOrigins() {
        return traces.isKept();
    }

    DurableTraces traces() {
        return traces;
    }

    /**
     * Fills in a statement: {task} and {node} are the tables, {now} is the time, {next} the version that follows. Where
     * rows keep spans, {origin} selects them, {unlinked} forgets them, and they count with the next version, too.
     */
    String text(String template) {
        return (keepsOrigins()
                        ? withOrigins(template)
                        : template.replace("{origin}", "").replace("{unlinked}", ""))
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

    /** Commits outside transactions of users, on a connection that does not do so by itself. */
    <T extends @Nullable Object> T committed(Function<JdbcTemplate, T> work) {
        return committed(work, JdbcTemplate::new);
    }

    /** The same for statements that PostgreSQL is to plan each time: a plan that it has made while the table was small, and keeps, reads all of a large one. */
    <T extends @Nullable Object> T committedPlanned(Function<JdbcTemplate, T> work) {
        return committed(work, PlannedStatements::new);
    }

    private <T extends @Nullable Object> T committed(
            Function<JdbcTemplate, T> work, Function<DataSource, JdbcTemplate> statements) {
        return outer.execute((ConnectionCallback<T>) connection -> {
            T result = work.apply(statements.apply(new Kept(connection)));
            if (!connection.getAutoCommit() && !isInTransaction()) {
                connection.commit();
            }
            return result;
        });
    }

    /**
     * Whether the connection is that of a transaction of Spring's, which its manager ends. A kept connection is in none
     * of a caller's, although Spring registers it with the transaction of the thread that uses it.
     */
    private boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource)
                && (!isKept || OWN.equals(TransactionSynchronizationManager.getCurrentTransactionName()));
    }

    /**
     * Whether a read without a lock sees what has been committed by now. One in a caller's transaction may see what was
     * there when that read something first, as it does in MariaDB unless it is asked for something else.
     */
    boolean readsLatest() {
        Integer level = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return !TransactionSynchronizationManager.isActualTransactionActive()
                || (level == null
                        ? dialect != Dialect.MARIADB
                        : level <= TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /** Whether the transaction that a manager has begun in this thread is on this database; that of JTA is wherever a connection is taken. */
    boolean isReachedBy(PlatformTransactionManager manager) {
        return manager instanceof JtaTransactionManager || TransactionSynchronizationManager.hasResource(target());
    }

    private DataSource target() {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : dataSource;
    }

    // In the transaction of a caller

    /** Whether there is one on this database. */
    boolean isInCallersTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(target());
    }

    Savepoint setSavepoint() {
        return Objects.requireNonNull(outer.execute((ConnectionCallback<Savepoint>) Connection::setSavepoint));
    }

    void rollBackTo(Savepoint savepoint) {
        onConnection(connection -> connection.rollback(savepoint));
    }

    void release(Savepoint savepoint) {
        onConnection(connection -> connection.releaseSavepoint(savepoint));
    }

    private void onConnection(ConnectionStep step) {
        Object ignored = outer.execute((ConnectionCallback<Boolean>) connection -> {
            step.take(connection);
            return true;
        });
    }

    private interface ConnectionStep {
        void take(Connection connection) throws SQLException;
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
                    outer.getExceptionTranslator().translate("Rows as others see them", null, ex),
                    () -> new UncategorizedSQLException("Rows as others see them", null, ex));
        }
    }

    private Connection another() {
        try {
            return target().getConnection();
        } catch (SQLException ex) {
            throw new CannotGetJdbcConnectionException(
                    "The pool must have a free connection beside that of the transaction, which sees what others see, but: "
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

    /** Does something in a transaction of its own; again, if it was rolled back because of others. */
    <T> T inTransaction(Supplier<T> work) {
        return repeated(() -> Objects.requireNonNull(transaction.execute(status -> work.get())));
    }

    /** Does something in a transaction of its own, which is rolled back: whether the database would take it. */
    void tryInVain(Runnable work) {
        transaction.executeWithoutResult(status -> {
            status.setRollbackOnly();
            work.run();
        });
    }

    /**
     * Makes a statement, or a transaction, again that was rolled back because of others, a few times, after a short pause. Within a transaction of a
     * caller's never: all of that has been rolled back. Nor does one that is made of several that are committed one by one.
     */
    <T extends @Nullable Object> T repeated(Supplier<T> work) {
        int left = TransactionSynchronizationManager.isActualTransactionActive() ? 0 : MOST_REPEATS;
        while (true) {
            try {
                return work.get();
            } catch (RuntimeException ex) {
                if (left == 0
                        || !Availability.isUndone(ex)
                        || Thread.currentThread().isInterrupted()) {
                    throw ex;
                }
                // It has waited for long already.
                left = Availability.isLockWait(ex) ? 0 : left - 1;
                LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
            }
        }
    }

    int update(String template, @Nullable Object... parameters) {
        commitThoughItIsLate();
        return repeated(() -> committed(jdbc -> jdbc.update(text(template), parameters)));
    }

    /** Whether a statement has changed one row. */
    boolean changes(String template, @Nullable Object... parameters) {
        return update(template, parameters) == 1;
    }

    /**
     * Sees to it that a change is committed that a caller makes after the commit of the caller's transaction, as in {@code afterCommit}: its connection is still that of
     * the transaction, which has been committed.
     */
    void commitThoughItIsLate() {
        if (TransactionSynchronizationManager.isSynchronizationActive()
                && isInTransaction()
                && !TransactionSynchronizationManager.hasResource(this)) {
            TransactionSynchronizationManager.bindResource(this, this);
            TransactionSynchronizationManager.registerSynchronization(new LateCommit());
        }
    }

    /** One that is registered after the commit is told only of the completion. */
    private final class LateCommit implements TransactionSynchronization {

        private boolean isInTime;

        @Override
        public void beforeCommit(boolean readOnly) {
            noteInTime();
        }

        @Override
        public void beforeCompletion() {
            noteInTime();
        }

        /** A later change may be too late. */
        private void noteInTime() {
            isInTime = true;
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(Sql.this);
        }

        @Override
        public void afterCompletion(int status) {
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(Sql.this);
            if (!isInTime && status == STATUS_COMMITTED) {
                Object committed = outer.execute((ConnectionCallback<Boolean>) connection -> {
                    if (!connection.getAutoCommit()) {
                        connection.commit();
                    }
                    return true;
                });
                Objects.requireNonNull(committed);
            }
        }

        @Override
        public void suspend() {
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(Sql.this);
        }
    }

    /** Runs a statement once for each row of parameters, in one transaction; returns how many rows each has changed. */
    int[] updateEachOf(String template, List<Object[]> parameters) {
        return parameters.size() == 1
                ? new int[] {update(template, parameters.get(0))}
                : inTransaction(() -> committed(jdbc -> jdbc.batchUpdate(text(template), parameters)));
    }

    /** Runs a statement once for each row of parameters; returns how many rows that has changed. */
    int updateEach(String template, List<Object[]> parameters) {
        if (parameters.isEmpty()) {
            return 0;
        }
        int changed = 0;
        for (int count : committed(jdbc -> jdbc.batchUpdate(text(template), parameters))) {
            // A driver may not know how many.
            changed += count == 0 ? 0 : 1;
        }
        return changed;
    }

    /** Runs it once for each key, in the order in which rows are locked. */
    int updateEach(String template, Collection<RowKey> rows, Function<RowKey, Object[]> parameters) {
        return updateEach(template, rows.stream().sorted().map(parameters).toList());
    }

    /** Returns the keys of the rows that a condition is true of. */
    List<RowKey> keys(String condition, @Nullable Object... parameters) {
        return query("select task_name, task_instance, version from {task}" + condition, RowKey::read, parameters);
    }

    /** Whether a statement finds a row. */
    public boolean finds(String template, @Nullable Object... parameters) {
        return !query(template, (row, number) -> true, parameters).isEmpty();
    }

    /** Returns the first row; null if there is none. */
    public <T> @Nullable T first(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        List<T> found = query(template, mapper, parameters);
        return found.isEmpty() ? null : found.get(0);
    }

    public <T> List<T> query(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        return repeated(() -> committed(jdbc -> jdbc.query(text(template), mapper, parameters)));
    }

    /** As {@link #committedPlanned}. */
    public <T> List<T> queryPlanned(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        return committedPlanned(jdbc -> jdbc.query(text(template), mapper, parameters));
    }

    /** Lets the driver of PostgreSQL, whose classes need not be there, prepare no statement for the next time. */
    private static final class PlannedStatements extends JdbcTemplate {

        private static final String TYPE = "org.postgresql.PGStatement";
        private static final @Nullable Class<?> STATEMENT = ClassUtils.isPresent(TYPE, Sql.class.getClassLoader())
                ? ClassUtils.resolveClassName(TYPE, Sql.class.getClassLoader())
                : null;

        PlannedStatements(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void applyStatementSettings(Statement statement) throws SQLException {
            super.applyStatementSettings(statement);
            Object target =
                    STATEMENT == null || !statement.isWrapperFor(STATEMENT) ? null : statement.unwrap(STATEMENT);
            // What stands between may wrap what it is asked for.
            if (STATEMENT != null && STATEMENT.isInstance(target)) {
                Method threshold = ClassUtils.getMethod(STATEMENT, "setPrepareThreshold", int.class);
                Object ignored = ReflectionUtils.invokeMethod(threshold, target, 0);
            }
        }
    }

    @Nullable
    Object timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : dialect.time(instant);
    }
}
