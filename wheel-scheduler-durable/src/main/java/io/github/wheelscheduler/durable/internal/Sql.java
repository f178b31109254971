package io.github.wheelscheduler.durable.internal;

import java.lang.reflect.Method;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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
final class Sql {

    private static final int MOST_REPEATS = 5;
    private static final long LEAST_PAUSE_NANOS = 1_000_000;
    private static final long MOST_PAUSE_NANOS = 20_000_000;

    private final DataSource dataSource;
    private final Dialect dialect;
    private final String table;
    private final JdbcTemplate outer;

    /** For rows of a node; reads what is committed, so that no two wait for each other because of what is between rows. */
    private final TransactionTemplate transaction;

    Sql(DataSource dataSource, Dialect dialect, String table) {
        this.dataSource = dataSource;
        this.dialect = dialect;
        this.table = table;
        this.outer = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    Dialect dialect() {
        return dialect;
    }

    /** Fills in a statement: {task} and {node} are the tables, {now} is the time, {next} the version that follows. */
    String text(String template) {
        return template.replace("{task}", table)
                .replace("{node}", table + "_node")
                .replace("{now}", dialect.now())
                // The greatest version is followed by the first.
                .replace("{next}", "version % " + Long.MAX_VALUE + " + 1");
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
            T result = work.apply(statements.apply(new SingleConnectionDataSource(connection, true)));
            if (!connection.getAutoCommit() && !isInTransaction()) {
                connection.commit();
            }
            return result;
        });
    }

    /** Whether the connection is that of a transaction of Spring's, which its manager ends. */
    private boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource);
    }

    /** Whether the transaction that a manager has begun in this thread is on this database; that of JTA is wherever a connection is taken. */
    boolean isReachedBy(PlatformTransactionManager manager) {
        DataSource target = dataSource instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : dataSource;
        return manager instanceof JtaTransactionManager || TransactionSynchronizationManager.hasResource(target);
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

        /** What is changed from now on may be too late. */
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
    boolean finds(String template, @Nullable Object... parameters) {
        return !query(template, (row, number) -> true, parameters).isEmpty();
    }

    /** Returns the first row; null if there is none. */
    <T> @Nullable T first(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        List<T> found = query(template, mapper, parameters);
        return found.isEmpty() ? null : found.get(0);
    }

    <T> List<T> query(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
        return repeated(() -> committed(jdbc -> jdbc.query(text(template), mapper, parameters)));
    }

    /** As {@link #committedPlanned}. */
    <T> List<T> queryPlanned(String template, RowMapper<T> mapper, @Nullable Object... parameters) {
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
