package io.github.wheelscheduler.durable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;

/** A data source whose connections break in a transaction of a run, at one step of it. From then on they answer nothing. */
final class LostAnswers extends DelegatingDataSource {

    /** In which threads a transaction of {@link #newManager} goes on. */
    private static final ThreadLocal<Boolean> IN_RUN = ThreadLocal.withInitial(() -> false);

    /** What of a transaction, without the rest of statements. */
    final Queue<String> inRuns = new ConcurrentLinkedQueue<>();

    private final AtomicReference<@Nullable Step> next = new AtomicReference<>();
    private volatile @Nullable CountDownLatch late;
    private volatile boolean isLost;

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
            return what.startsWith(
                    switch (this) {
                        case BEGIN -> "getConnection";
                        case BODY_UNANSWERED -> "insert into ledger";
                        case DELETE_NOT_SENT, DELETE_UNANSWERED -> "delete from";
                        default -> "commit";
                    });
        }
    }

    void loseNext(Step step) {
        next.set(step);
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
}
