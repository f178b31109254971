package io.github.wheelscheduler.durable.internal;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A data source whose connections break in a transaction of a run, at one step of it. From then on they answer nothing.
 */
final class LostAnswers extends DelegatingDataSource {

    /** In which threads a transaction of {@link #newManager} goes on. */
    private static final ThreadLocal<Boolean> IN_RUN = ThreadLocal.withInitial(() -> false);

    /** What of a transaction, without the rest of statements. */
    final Queue<String> inRuns = new ConcurrentLinkedQueue<>();

    private final AtomicReference<@Nullable Step> next = new AtomicReference<>();
    private volatile @Nullable CountDownLatch late;
    private volatile boolean isLost;
    private final AtomicBoolean losesEnd = new AtomicBoolean();

    LostAnswers(DataSource target) {
        super(target);
    }

    /** Where a connection breaks. */
    enum Step {
        BEGIN,
        BODY_UNANSWERED,
        DELETE_NOT_SENT,
        DELETE_UNANSWERED,
        COMMIT_NOT_SENT,
        COMMIT_UNANSWERED,
        /** The database commits, but only after some time. */
        COMMIT_LATE,
        /** The database finds out that the connection is broken, but only after some time. */
        ROLLBACK_LATE;

        boolean isCommitted() {
            return this == COMMIT_UNANSWERED || this == COMMIT_LATE;
        }

        private boolean isOf(String what) {
            return switch (this) {
                case BEGIN -> what.startsWith("getConnection");
                case BODY_UNANSWERED -> what.startsWith("insert into ledger");
                case DELETE_NOT_SENT, DELETE_UNANSWERED -> isEndOfRow(what);
                default -> what.startsWith("commit");
            };
        }

        /** Whether a statement ends a run: it deletes the row, or lets it wait. */
        private static boolean isEndOfRow(String what) {
            return what.startsWith("delete from")
                    || (what.startsWith("update wheel_durable_task") && !what.contains("set next_data"));
        }
    }

    void loseNext(Step step) {
        next.set(step);
    }

    /** Loses the answer of the next statement outside of such a transaction that notes a failure. */
    void loseNextEnd() {
        losesEnd.set(true);
    }

    /** What is late is so until then; else for a second. */
    void lateUntil(CountDownLatch goesOn) {
        late = goesOn;
    }

    boolean isLost() {
        return isLost;
    }

    /** Returns a manager of transactions in which connections break. */
    PlatformTransactionManager newManager() {
        return new Marking(this);
    }

    @SuppressWarnings("serial")
    private static final class Marking extends JdbcTransactionManager {

        Marking(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            IN_RUN.set(true);
            try {
                super.doBegin(transaction, definition);
            } catch (Throwable ex) {
                IN_RUN.remove();
                throw ex;
            }
        }

        @Override
        protected void doCleanupAfterCompletion(Object transaction) {
            super.doCleanupAfterCompletion(transaction);
            IN_RUN.remove();
        }
    }

    private @Nullable Step stepAt(String what) {
        Step step = next.get();
        return IN_RUN.get() && step != null && step.isOf(what) && next.compareAndSet(step, null) ? step : null;
    }

    private static SQLException broken() {
        return new SQLException("The connection is broken, on purpose", "08006");
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (stepAt("getConnection") != null) {
            throw broken();
        }
        Line line = new Line(super.getConnection());
        return line.proxy(Connection.class, line.real, "");
    }

    private final class Line {

        private final Connection real;
        private boolean isBroken;
        private boolean isLate;

        Line(Connection real) {
            this.real = real;
        }

        private <T> T proxy(Class<T> type, Object target, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, arguments) -> call(
                            target,
                            sql,
                            method.getName(),
                            () -> {
                                try {
                                    return method.invoke(target, arguments);
                                } catch (InvocationTargetException ex) {
                                    throw ex.getCause();
                                }
                            },
                            arguments)));
        }

        private @Nullable Object call(
                Object target, String sql, String method, Call call, Object @Nullable [] arguments) throws Throwable {
            boolean isOfConnection = target instanceof Connection;
            if (method.equals("close") && isLate) {
                return null;
            }
            if (method.equals("close")) {
                return call.call();
            }
            if (isBroken) {
                throw broken();
            }
            if (isOfConnection && method.equals("prepareStatement") && arguments != null) {
                return proxy(PreparedStatement.class, call.call(), (String) arguments[0]);
            }
            String what = isOfConnection ? method : method.startsWith("execute") ? sql : "";
            note(what);
            if (!IN_RUN.get()
                    && what.startsWith("update wheel_durable_task")
                    && what.contains("consecutive_failures = ?")
                    && losesEnd.compareAndSet(true, false)) {
                Object ignored = call.call();
                if (!real.getAutoCommit()) {
                    real.commit();
                }
                isBroken = true;
                throw broken();
            }
            Step step = stepAt(what);
            if (step == null) {
                return call.call();
            }
            breakAt(step, call);
            throw broken();
        }

        private void note(String what) {
            if (IN_RUN.get() && !what.startsWith("get") && !what.startsWith("is") && !what.isEmpty()) {
                inRuns.add(
                        what.startsWith("insert into ledger") || what.startsWith("delete from")
                                ? what.substring(0, what.startsWith("i") ? 18 : 11)
                                : what);
            }
        }

        private void breakAt(Step step, Call call) throws Throwable {
            isBroken = true;
            switch (step) {
                case BODY_UNANSWERED, DELETE_UNANSWERED -> {
                    Object ignored = call.call();
                    real.rollback();
                }
                case DELETE_NOT_SENT, COMMIT_NOT_SENT -> real.rollback();
                case COMMIT_UNANSWERED -> {
                    Object ignored = call.call();
                }
                case COMMIT_LATE, ROLLBACK_LATE -> {
                    isLate = true;
                    Thread thread = new Thread(() -> endLate(step), "late");
                    thread.setDaemon(true);
                    thread.start();
                }
                default -> throw new IllegalStateException(step.name());
            }
            isLost = true;
        }

        private void endLate(Step step) {
            try (real) {
                CountDownLatch until = late;
                if (until == null) {
                    TimeUnit.SECONDS.sleep(1);
                } else {
                    until.await();
                }
                if (step == Step.COMMIT_LATE) {
                    real.commit();
                } else {
                    real.rollback();
                }
            } catch (InterruptedException | SQLException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    @FunctionalInterface
    private interface Call {
        @Nullable
        Object call() throws Throwable;
    }

    /** Managers of transactions that are not those of JDBC. */
    static final class OtherManagers {

        private OtherManagers() {}

        /**
         * One whose resource is something else that works on a connection, and that lets the connection be used beside
         * it, as that of JPA does.
         */
        @SuppressWarnings("serial")
        static final class OfUnits extends AbstractPlatformTransactionManager implements ResourceTransactionManager {

            private final transient DataSource dataSource;

            OfUnits(DataSource dataSource) {
                this.dataSource = dataSource;
            }

            @Override
            public Object getResourceFactory() {
                return "a factory of units";
            }

            public DataSource getDataSource() {
                return dataSource;
            }

            private static final class Unit {
                private @Nullable Connection connection;

                private Connection connection() {
                    if (connection == null) {
                        throw new IllegalStateException("none has begun");
                    }
                    return connection;
                }
            }

            @Override
            protected Object doGetTransaction() {
                return new Unit();
            }

            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {
                try {
                    Connection connection = dataSource.getConnection();
                    connection.setAutoCommit(false);
                    ((Unit) transaction).connection = connection;
                    ConnectionHolder holder = new ConnectionHolder(connection);
                    holder.setSynchronizedWithTransaction(true);
                    TransactionSynchronizationManager.bindResource(dataSource, holder);
                } catch (SQLException ex) {
                    throw new CannotCreateTransactionException("begin", ex);
                }
            }

            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                try {
                    ((Unit) status.getTransaction()).connection().commit();
                } catch (SQLException ex) {
                    throw new TransactionSystemException("commit", ex);
                }
            }

            @Override
            protected void doRollback(DefaultTransactionStatus status) {
                try {
                    ((Unit) status.getTransaction()).connection().rollback();
                } catch (SQLException ex) {
                    throw new TransactionSystemException("rollback", ex);
                }
            }

            @Override
            protected void doCleanupAfterCompletion(Object transaction) {
                Object ignored = TransactionSynchronizationManager.unbindResource(dataSource);
                try {
                    Connection connection = ((Unit) transaction).connection();
                    connection.setAutoCommit(true);
                    connection.close();
                } catch (SQLException ex) {
                    throw new TransactionSystemException("close", ex);
                }
            }
        }

        /**
         * Transactions of JTA over one database: a thread that has begun one is given its connection, again and again.
         */
        static final class Jta {

            private static final ThreadLocal<@Nullable Connection> enlisted = new ThreadLocal<>();
            private static final ThreadLocal<Boolean> isGoingOn = ThreadLocal.withInitial(() -> false);
            private static final ThreadLocal<Boolean> isMarked = ThreadLocal.withInitial(() -> false);
            private final DataSource pool;
            private final DataSource dataSource;

            Jta(DataSource pool) {
                this.pool = pool;
                this.dataSource = new DelegatingDataSource(pool) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        return isGoingOn.get() ? enlist() : super.getConnection();
                    }
                };
            }

            DataSource dataSource() {
                return dataSource;
            }

            JtaTransactionManager manager() {
                JtaTransactionManager manager = new JtaTransactionManager(new OfThread());
                manager.afterPropertiesSet();
                return manager;
            }

            private Connection enlist() throws SQLException {
                Connection known = enlisted.get();
                Connection connection = known == null ? pool.getConnection() : known;
                connection.setAutoCommit(false);
                enlisted.set(connection);
                return (Connection) Proxy.newProxyInstance(
                        Jta.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            switch (method.getName()) {
                                case "close" -> {
                                    return null;
                                }
                                case "commit", "rollback", "setAutoCommit" ->
                                    throw new SQLException("The transaction is that of JTA");
                                default -> {
                                    try {
                                        return method.invoke(connection, arguments);
                                    } catch (InvocationTargetException ex) {
                                        throw ex.getCause();
                                    }
                                }
                            }
                        });
            }

            private static final class OfThread implements UserTransaction {

                @Override
                public void begin() {
                    isGoingOn.set(true);
                    isMarked.set(false);
                }

                @Override
                public void commit() throws RollbackException, SystemException {
                    if (isMarked.get()) {
                        rollback();
                        throw new RollbackException("marked");
                    }
                    end(true);
                }

                @Override
                public void rollback() throws SystemException {
                    end(false);
                }

                private void end(boolean commits) throws SystemException {
                    isGoingOn.remove();
                    Connection connection = enlisted.get();
                    enlisted.remove();
                    if (connection != null) {
                        try (connection) {
                            if (commits) {
                                connection.commit();
                            } else {
                                connection.rollback();
                            }
                            connection.setAutoCommit(true);
                        } catch (SQLException ex) {
                            throw new SystemException(ex.toString());
                        }
                    }
                }

                @Override
                public void setRollbackOnly() {
                    isMarked.set(true);
                }

                @Override
                public int getStatus() {
                    return !isGoingOn.get()
                            ? Status.STATUS_NO_TRANSACTION
                            : isMarked.get() ? Status.STATUS_MARKED_ROLLBACK : Status.STATUS_ACTIVE;
                }

                @Override
                public void setTransactionTimeout(int seconds) {}
            }
        }
    }
}
