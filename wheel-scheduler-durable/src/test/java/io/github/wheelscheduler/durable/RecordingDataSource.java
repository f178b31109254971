package io.github.wheelscheduler.durable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Notes what goes over its connections: statements, their parameters, the columns that are read of their rows, and how transactions end. For one thread. */
final class RecordingDataSource extends DelegatingDataSource {

    final List<String> statements = new ArrayList<>();
    final List<Object> parameters = new ArrayList<>();
    final Set<String> columns = new TreeSet<>();

    /** What was asked of connections beside statements, in its order. */
    final List<String> calls = new ArrayList<>();

    private boolean commitsItself = true;

    RecordingDataSource(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        connection.setAutoCommit(commitsItself);
        return recorded(Connection.class, connection);
    }

    /** Whether statements on connections from now on are committed at once. */
    void commitsItself(boolean itself) {
        commitsItself = itself;
    }

    void forget() {
        statements.clear();
        parameters.clear();
        columns.clear();
        calls.clear();
    }

    private <T> T recorded(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    note(target, method.getName(), arguments == null ? new Object[0] : arguments);
                    try {
                        Object result = method.invoke(target, arguments);
                        if (result instanceof PreparedStatement) {
                            return recorded(PreparedStatement.class, result);
                        }
                        return result instanceof ResultSet ? recorded(ResultSet.class, result) : result;
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
    }

    private void note(Object target, String method, Object[] arguments) {
        if (target instanceof Connection) {
            if (method.startsWith("prepare")) {
                statements.add((String) arguments[0]);
            } else if (!method.startsWith("get")) {
                calls.add(method);
            }
        } else if (target instanceof PreparedStatement && method.startsWith("set") && arguments.length >= 2) {
            parameters.add(arguments[1]);
        } else if (target instanceof ResultSet && method.startsWith("get") && arguments.length >= 1) {
            columns.add(String.valueOf(arguments[0]));
        }
    }
}
