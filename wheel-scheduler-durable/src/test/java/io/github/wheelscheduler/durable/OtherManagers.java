package io.github.wheelscheduler.durable;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Managers of transactions that are not those of JDBC. */
final class OtherManagers {

    private OtherManagers() {}

    /** One whose resource is something else that works on a connection, and that lets the connection be used beside it, as that of JPA does. */
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

    /** Transactions of JTA over one database: a thread that has begun one is given its connection, again and again. */
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
