package io.github.wheelscheduler.jdbc.internal;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runs statements. A statement of a user's takes part in the user's transaction; one of a node commits by itself. Any
 * thread.
 */
public abstract class Statements {

    private static final int MOST_REPEATS = 5;
    private static final long LEAST_PAUSE_NANOS = 1_000_000;
    private static final long MOST_PAUSE_NANOS = 20_000_000;

    /** The name of transactions that begin here. */
    private static final String OWN = Statements.class.getName();

    private final DataSource dataSource;

    /** Whether this is about one connection that a node keeps. */
    private final boolean isKept;

    private final DatabaseKind kind;
    private final JdbcTemplate outer;

    /**
     * For rows of a node; reads what is committed, so that no two wait for each other because of what is between rows.
     */
    private final TransactionTemplate transaction;

    /** One connection that a node keeps. A DataSource of the user's may be of the type that this one extends. */
    public static final class Kept extends SingleConnectionDataSource {

        public Kept(Connection connection) {
            super(connection, true);
        }
    }

    protected Statements(DataSource dataSource, DatabaseKind kind) {
        this.dataSource = dataSource;
        this.isKept = dataSource instanceof Kept;
        this.kind = kind;
        this.outer = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.setName(OWN);
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    /** Fills in a statement. */
    public abstract String text(String template);

    /** Returns what makes exceptions of Spring's of those of the driver. */
    protected final SQLExceptionTranslator exceptions() {
        return outer.getExceptionTranslator();
    }

    /** Commits outside transactions of users, on a connection that does not do so by itself. */
    public final <T extends @Nullable Object> T committed(Function<JdbcTemplate, T> work) {
        return committed(work, JdbcTemplate::new);
    }

    /**
     * The same for statements that PostgreSQL is to plan each time: a plan that it has made while the table was small,
     * and keeps, reads all of a large one.
     */
    public final <T extends @Nullable Object> T committedPlanned(Function<JdbcTemplate, T> work) {
        return committed(work, PlannedStatements::new);
    }

    /** Limits the time of statements, in seconds. */
    public final <T extends @Nullable Object> T within(int seconds, JdbcTemplate jdbc, Supplier<T> work) {
        jdbc.setQueryTimeout(seconds);
        try {
            return work.get();
        } finally {
            if (kind == DatabaseKind.H2) {
                endLimit(jdbc);
            }
        }
    }

    /** In H2, the limit of a statement is one of its connection, and stays. */
    private static void endLimit(JdbcTemplate jdbc) {
        jdbc.setQueryTimeout(0);
        try {
            Object ignored = jdbc.execute((StatementCallback<Boolean>) statement -> true);
        } catch (DataAccessException ex) {
            // The connection is gone.
        }
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
    public final boolean readsLatest() {
        Integer level = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return !TransactionSynchronizationManager.isActualTransactionActive()
                || (level == null
                        ? kind != DatabaseKind.MARIADB
                        : level <= TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /**
     * Whether the transaction that a manager has begun in this thread is on this database; that of JTA is wherever a
     * connection is taken.
     */
    public final boolean isReachedBy(PlatformTransactionManager manager) {
        return manager instanceof JtaTransactionManager || TransactionSynchronizationManager.hasResource(target());
    }

    protected final DataSource target() {
        return target(dataSource);
    }

    /** Returns the DataSource behind a proxy that knows the transactions of Spring. */
    public static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : dataSource;
    }

    // In the transaction of a caller

    /** Whether there is one on this database. */
    public final boolean isInCallersTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(target());
    }

    public final Savepoint setSavepoint() {
        return Objects.requireNonNull(outer.execute((ConnectionCallback<Savepoint>) Connection::setSavepoint));
    }

    public final void rollBackTo(Savepoint savepoint) {
        onConnection(connection -> connection.rollback(savepoint));
    }

    public final void release(Savepoint savepoint) {
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

    /** Does something in a transaction of its own; again, if it was rolled back because of others. */
    public final <T> T inTransaction(Supplier<T> work) {
        return repeated(() -> Objects.requireNonNull(transaction.execute(status -> work.get())));
    }

    /** Does something in a transaction of its own, which is rolled back: whether the database would take it. */
    public final void tryInVain(Runnable work) {
        transaction.executeWithoutResult(status -> {
            status.setRollbackOnly();
            work.run();
        });
    }

    /**
     * Makes a statement, or a transaction, again that was rolled back because of others, a few times, after a short
     * pause. Within a transaction of a caller's never: all of that has been rolled back. Nor does one that is made of
     * several that are committed one by one.
     */
    public final <T extends @Nullable Object> T repeated(Supplier<T> work) {
        int left = TransactionSynchronizationManager.isActualTransactionActive() ? 0 : MOST_REPEATS;
        while (true) {
            try {
                return work.get();
            } catch (RuntimeException ex) {
                if (left == 0
                        || !DatabaseErrors.isUndone(ex)
                        || Thread.currentThread().isInterrupted()) {
                    throw ex;
                }
                // It has waited for long already.
                left = DatabaseErrors.isLockWait(ex) ? 0 : left - 1;
                LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
            }
        }
    }

    public final int update(String template, @Nullable Object... parameters) {
        commitThoughItIsLate();
        return repeated(() -> committed(jdbc -> jdbc.update(text(template), parameters)));
    }

    /** Whether a statement has changed one row. */
    public final boolean changes(String template, @Nullable Object... parameters) {
        return update(template, parameters) == 1;
    }

    /**
     * Sees to it that a change is committed that a caller makes after the commit of the caller's transaction, as in
     * {@code afterCommit}: its connection is still that of the transaction, which has been committed.
     */
    public final void commitThoughItIsLate() {
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
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(Statements.this);
        }

        @Override
        public void afterCompletion(int status) {
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(Statements.this);
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
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(Statements.this);
        }
    }

    /** Returns what the parameters are for some values, which may be times. */
    public final Object[] parameters(Object[] values) {
        Object[] parameters = new Object[values.length];
        Arrays.setAll(parameters, i -> kind.parameter(values[i]));
        return parameters;
    }

    /** Runs a statement once for each row of parameters, in one transaction; returns how many rows each has changed. */
    public final int[] updateEachOf(String template, List<Object[]> parameters) {
        return parameters.size() == 1
                ? new int[] {update(template, parameters.get(0))}
                : inTransaction(() -> committed(jdbc -> jdbc.batchUpdate(text(template), parameters)));
    }

    /** Runs a statement once for each row of parameters; returns how many rows that has changed. */
    public final int updateEach(String template, List<Object[]> parameters) {
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

    /** Whether a statement finds a row. */
    public final boolean finds(String template, @Nullable Object... parameters) {
        return !query(template, (row, number) -> true, parameters).isEmpty();
    }

    /** Returns the first row; null if there is none. */
    public final <T> @Nullable T first(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        List<T> found = query(template, mapper, parameters);
        return found.isEmpty() ? null : found.get(0);
    }

    public final <T> List<T> query(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        return repeated(() -> committed(jdbc -> jdbc.query(text(template), mapper, parameters)));
    }

    /** As {@link #committedPlanned}. */
    public final <T> List<T> queryPlanned(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        return committedPlanned(jdbc -> jdbc.query(text(template), mapper, parameters));
    }

    /** Lets the driver of PostgreSQL, whose classes need not be there, prepare no statement for the next time. */
    private static final class PlannedStatements extends JdbcTemplate {

        private static final String TYPE = "org.postgresql.PGStatement";
        private static final @Nullable Class<?> STATEMENT =
                ClassUtils.isPresent(TYPE, Statements.class.getClassLoader())
                        ? ClassUtils.resolveClassName(TYPE, Statements.class.getClassLoader())
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
}
