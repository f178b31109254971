package io.github.wheelscheduler.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Refuses statements with some text whose first parameter has some value. Any thread. */
final class RefusedParameter extends DelegatingDataSource {

    private final String text;
    private final String value;
    private final AtomicInteger refused = new AtomicInteger();

    RefusedParameter(DataSource dataSource, String text, String value) {
        super(dataSource);
        this.text = text;
        this.value = value;
    }

    int refused() {
        return refused.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return watched(Connection.class, super.getConnection());
    }

    private <T> T watched(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("set")
                            && arguments != null
                            && arguments.length > 1
                            && Integer.valueOf(1).equals(arguments[0])
                            && value.equals(arguments[1])) {
                        refused.incrementAndGet();
                        throw new SQLException("refused by the test", "42000");
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return method.getName().equals("prepareStatement") && ((String) arguments[0]).contains(text)
                                ? watched(PreparedStatement.class, result)
                                : result;
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
    }
}
