package io.github.wheelscheduler.jdbc.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptException;

/**
 * Makes tables by a script, one node after the other, and reads which layout they have.
 *
 * @param lock the name by which nodes make these tables in turn
 * @param layoutQuery selects the number of the layout
 * @param owner a class beside the scripts
 * @param names puts the names of the tables into a script
 * @param log receives that the tables are to be made
 */
public record SchemaScripts(
        DataSource dataSource,
        DatabaseKind kind,
        String lock,
        String layoutQuery,
        Class<?> owner,
        UnaryOperator<String> names,
        Log log) {

    /** The layout of tables that are not there. */
    public static final int NONE = -1;

    /** SQL states of what makes no sense to a database, or is not allowed, begin so. */
    private static final String NOT_ALLOWED = "42";

    /** Does something on a connection, knowing the layout. */
    @FunctionalInterface
    public interface Step {
        void take(Connection connection, int layout) throws SQLException;
    }

    /**
     * Makes or changes the tables unless they have the layout, on a connection of its own: with a transaction of the
     * caller's, the tables might go, or the transaction end. A proxy that knows transactions would return theirs.
     *
     * @param step receives the layout that is there, when it is this node's turn
     * @throws ScriptException if the script fails
     */
    public void make(int ourLayout, Step step) {
        try (Connection connection = Statements.target(dataSource).getConnection()) {
            if (layoutOf(connection) >= ourLayout) {
                return;
            }
            if (kind == DatabaseKind.POSTGRESQL) {
                inTurn(connection, step);
            } else {
                step.take(connection, layoutOf(connection));
            }
        } catch (SQLException ex) {
            throw new CannotGetJdbcConnectionException(
                    "Failed to create or change the tables; the cause of this exception says why", ex);
        }
    }

    /**
     * Whether a script failed as it is not allowed. Two nodes that make tables at the same time are in each other's way
     * once.
     */
    public static boolean isRefused(ScriptException ex) {
        return NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException failure
                && String.valueOf(failure.getSQLState()).startsWith(NOT_ALLOWED);
    }

    /**
     * Returns {@link #NONE} where there is none. To make an index that is there, PostgreSQL waits for all transactions
     * that have written into the table, and makes all wait who come later.
     */
    private int layoutOf(Connection connection) throws SQLException {
        Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(layoutQuery)) {
            return row.next() ? row.getInt(1) : NONE;
        } catch (SQLException ex) {
            log.debug("The table with the layout cannot be read, so the tables are created", ex);
            if (before != null) {
                // What the transaction has locked stays so.
                connection.rollback(before);
            }
            return NONE;
        }
    }

    /** Runs scripts, one after the other; where the connection does not commit by itself, in one transaction. */
    public void populate(Connection connection, String... scripts) throws SQLException {
        for (String script : scripts) {
            new ResourceDatabasePopulator(new ByteArrayResource(read(script))).populate(connection);
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /** PostgreSQL refuses what several nodes replace at the same time. */
    private void inTurn(Connection connection, Step step) throws SQLException {
        boolean commitsItself = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("select pg_advisory_xact_lock(hashtext('" + lock + "'))");
            // Another node may have done it meanwhile.
            step.take(connection, layoutOf(connection));
        } finally {
            connection.rollback();
            connection.setAutoCommit(commitsItself);
        }
    }

    private byte[] read(String script) {
        try {
            String text = new ClassPathResource(script, owner).getContentAsString(StandardCharsets.UTF_8);
            return names.apply(text).getBytes(StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
