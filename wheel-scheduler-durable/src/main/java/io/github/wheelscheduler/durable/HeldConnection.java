package io.github.wheelscheduler.durable;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A connection that is kept out of its pool: a node whose runs use up the pool must still say that it is alive. One thread uses it at a time. A connection that has
 * failed is given back, and the next call takes another one.
 */
final class HeldConnection {

    private final DataSource dataSource;
    private final Dialect dialect;
    private final String table;

    private @Nullable SingleConnectionDataSource held;

    HeldConnection(DataSource dataSource, Dialect dialect, String table) {
        this.dataSource = dataSource;
        this.dialect = dialect;
        this.table = table;
    }

    /** Does something with the table over this connection. */
    synchronized <T extends @Nullable Object> T use(Function<TaskTable, T> work) {
        boolean failed = true;
        try {
            T result = work.apply(new TaskTable(connect(), dialect, table));
            failed = false;
            return result;
        } finally {
            if (failed) {
                close();
            }
        }
    }

    private DataSource connect() {
        SingleConnectionDataSource current = held;
        if (current == null) {
            try {
                Connection connection = dataSource.getConnection();
                current = new SingleConnectionDataSource(connection, true);
            } catch (SQLException ex) {
                throw new CannotGetJdbcConnectionException("Failed to obtain a connection to keep", ex);
            }
            held = current;
        }
        return current;
    }

    /** Gives the connection back. */
    synchronized void close() {
        SingleConnectionDataSource current = held;
        held = null;
        if (current != null) {
            current.destroy();
        }
    }
}
