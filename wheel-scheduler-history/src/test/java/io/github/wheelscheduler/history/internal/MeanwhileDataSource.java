package io.github.wheelscheduler.history.internal;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Lets something happen right before the first statement that has a text in it. */
final class MeanwhileDataSource extends DelegatingDataSource {

    private @Nullable String part;
    private Runnable meanwhile = () -> {};

    MeanwhileDataSource(HikariDataSource pool) {
        super(pool);
    }

    void before(String text, Runnable event) {
        part = text;
        meanwhile = event;
    }

    boolean hasHappened() {
        return part == null;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    String awaited = part;
                    if (awaited != null
                            && method.getName().equals("prepareStatement")
                            && String.valueOf(arguments[0]).contains(awaited)) {
                        part = null;
                        meanwhile.run();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }
}
