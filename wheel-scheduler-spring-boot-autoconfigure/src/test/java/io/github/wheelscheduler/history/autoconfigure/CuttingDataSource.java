package io.github.wheelscheduler.history.autoconfigure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Notes statements and commits, and cuts connections that write rows of a history: before their commit, or after it,
 * so that its answer is lost.
 */
final class CuttingDataSource extends DelegatingDataSource {

    private static final String ROW = "insert into wheel_history_run";

    /** Statements that change rows, and commits, in their order. */
    final Queue<String> sent = new ConcurrentLinkedQueue<>();

    /** The statements of the connection that has sent the last row. */
    volatile List<String> sentWithRow = List.of();

    private final AtomicInteger losses = new AtomicInteger();
    private volatile boolean isAfterCommit;

    /** The SQL state with which rows are refused; null for none. */
    volatile @Nullable String refusal;

    /** The code of the driver with which rows are refused. */
    volatile int refusalCode;

    /** Whether there is no memory for rows. */
    volatile boolean hasNoMemory;

    /** Whether connections refuse savepoints, as those of JTA do. */
    volatile boolean refusesSavepoints;

    /** The time without a connection after a cut. */
    volatile long downMillis;

    private volatile long upAtNanos;

    CuttingDataSource(DataSource target) {
        super(target);
    }

    /** Cuts the next connections. */
    void cut(int times, boolean afterCommit) {
        isAfterCommit = afterCommit;
        losses.set(times);
    }

    boolean hasCut() {
        return losses.get() == 0;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (upAtNanos != 0 && System.nanoTime() < upAtNanos) {
            throw new SQLException("connection refused", "08001");
        }
        return new Cutting(super.getConnection()).proxy();
    }

    /** A connection. For one thread. */
    private final class Cutting {

        private final Connection connection;
        private final List<String> own = new CopyOnWriteArrayList<>();
        private boolean hasRow;
        private boolean isCut;

        Cutting(Connection connection) {
            this.connection = connection;
        }

        Connection proxy() {
            return proxy(Connection.class, connection, "");
        }

        private <T> T proxy(Class<T> type, Object target, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        String name = method.getName();
                        boolean isEnd = isCut && !name.equals("close") && !name.equals("isWrapperFor");
                        if (isEnd) {
                            throw broken();
                        }
                        if (refusesSavepoints && name.equals("setSavepoint")) {
                            throw new SQLFeatureNotSupportedException("no savepoints here");
                        }
                        boolean isSent = name.startsWith("execute") && !sql.startsWith("select");
                        boolean isCommitted = name.equals("commit") || (isSent && connection.getAutoCommit());
                        hasRow |= isSent && sql.contains(ROW);
                        if (hasNoMemory && isSent && sql.contains(ROW)) {
                            throw new OutOfMemoryError("on purpose");
                        }
                        String state = refusal;
                        if (state != null && isSent && sql.contains(ROW)) {
                            throw new SQLException(
                                    "could not extend file: No space left on device", state, refusalCode);
                        }
                        boolean isLost =
                                isCommitted && hasRow && losses.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
                        if (isLost && !isAfterCommit) {
                            throw cut();
                        }
                        if (isSent || name.equals("commit")) {
                            note(isSent ? sql : name);
                        }
                        Object result = invoke(method, target, arguments);
                        if (isLost) {
                            throw cut();
                        }
                        hasRow &= !isCommitted;
                        return name.startsWith("prepareStatement")
                                ? proxy(PreparedStatement.class, result, (String) arguments[0])
                                : result;
                    }));
        }

        private void note(String text) {
            boolean ignored = sent.add(text) && own.add(text);
            if (text.contains(ROW)) {
                sentWithRow = own;
            }
        }

        private SQLException cut() throws SQLException {
            isCut = true;
            if (downMillis > 0) {
                upAtNanos = System.nanoTime() + downMillis * 1_000_000;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return broken();
        }

        private SQLException broken() {
            return new SQLException("the connection is cut", "08006");
        }
    }

    private static @Nullable Object invoke(
            java.lang.reflect.Method method, Object target, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getCause();
        }
    }
}
