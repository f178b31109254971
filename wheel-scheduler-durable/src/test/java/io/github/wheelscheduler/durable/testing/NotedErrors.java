package io.github.wheelscheduler.durable.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Notes the errors that a server answers with over its connections, before any of them is handled. Any thread. */
public final class NotedErrors extends DelegatingDataSource {

    private final Queue<SQLException> errors = new ConcurrentLinkedQueue<>();

    public NotedErrors(DataSource target) {
        super(target);
    }

    /** Counts those of a code of the server. */
    public long count(int code) {
        return errors.stream().filter(error -> error.getErrorCode() == code).count();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return noting(Connection.class, super.getConnection());
    }

    private <T> T noting(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(target, arguments);
                        if (result instanceof PreparedStatement) {
                            return noting(PreparedStatement.class, result);
                        }
                        return result instanceof Statement ? noting(Statement.class, result) : result;
                    } catch (InvocationTargetException ex) {
                        if (ex.getCause() instanceof SQLException error) {
                            boolean ignored = errors.add(error);
                        }
                        throw ex.getCause();
                    }
                }));
    }
}
