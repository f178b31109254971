package io.github.wheelscheduler.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Notes the text of each statement over its connections once it has been started. Any thread. */
final class RecordedStatements extends DelegatingDataSource {

    private final List<String> statements = new CopyOnWriteArrayList<>();
    private volatile boolean isOn;

    RecordedStatements(DataSource dataSource) {
        super(dataSource);
    }

    void start() {
        isOn = true;
    }

    List<String> all() {
        return statements;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return recorded(Connection.class, super.getConnection());
    }

    private <T> T recorded(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (isOn
                            && arguments != null
                            && arguments.length > 0
                            && arguments[0] instanceof String text
                            && (method.getName().startsWith("prepare")
                                    || (target instanceof Statement
                                            && method.getName().startsWith("execute")))) {
                        statements.add(text);
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return method.getReturnType() == Statement.class ? recorded(Statement.class, result) : result;
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
    }
}
