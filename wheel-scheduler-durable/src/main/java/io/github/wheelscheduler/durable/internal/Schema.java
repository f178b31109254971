package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptException;

/**
 * Makes the tables, or adds to those of the layout before, and finds out whether they are what this release needs.
 *
 * @param settings say what they are called
 */
record Schema(DataSource dataSource, Dialect dialect, DurableSettings settings) {

    /** SQL states of what makes no sense to a database, or is not allowed, begin so. */
    private static final String NOT_ALLOWED = "42";

    private static final int NONE = -1;

    /** On a connection of its own: with a transaction of the caller's, the tables might go, or the transaction end. */
    void make() {
        try (Connection connection = dataSource.getConnection()) {
            if (layoutOf(connection) >= NodeTable.OUR_LAYOUT) {
                return;
            }
            if (dialect == Dialect.POSTGRESQL) {
                inTurn(connection);
            } else {
                makeOrUpgrade(connection);
            }
        } catch (SQLException ex) {
            throw new CannotGetJdbcConnectionException("Failed to make the tables on a connection of its own", ex);
        } catch (ScriptException ex) {
            Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
            // Two nodes that make them at the same time are in each other's way once.
            if (cause instanceof SQLException failure
                    && String.valueOf(failure.getSQLState()).startsWith(NOT_ALLOWED)) {
                throw Database.refused(
                        "The tables " + settings.table() + " and " + settings.table() + "_node cannot be made: "
                                + failure.getMessage(),
                        "Give wheel.scheduler.durable.table a name that the database does not keep for itself, or let a user that may make tables run "
                                + dialect.script() + " of the package io.github.wheelscheduler.durable.",
                        ex);
            }
            throw ex;
        }
    }

    /** Returns 0 where there is none. To make an index that is there, PostgreSQL waits for all transactions that have written into the table, and makes all wait who come later. */
    private int layoutOf(Connection connection) throws SQLException {
        Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select layout from " + settings.table() + "_node where incarnation = " + NodeTable.LAYOUT)) {
            return row.next() ? row.getInt(1) : NONE;
        } catch (SQLException ex) {
            LOGGER.debug("The tables are to be made", ex);
            if (before != null) {
                // What the transaction has locked stays so.
                connection.rollback(before);
            }
            return NONE;
        }
    }

    /** Another node may have done it meanwhile. */
    private void makeOrUpgrade(Connection connection) throws SQLException {
        int layout = layoutOf(connection);
        if (layout == NONE) {
            populate(connection, dialect.script());
        } else if (layout == NodeTable.OUR_LAYOUT - 1) {
            upgrade(connection, layout);
        }
    }

    private void upgrade(Connection connection, int layout) throws SQLException {
        try {
            populate(connection, dialect.upgradeScript());
            LOGGER.info("The tables " + settings.table() + " and " + settings.table()
                    + "_node have been changed from layout " + layout + " to " + NodeTable.OUR_LAYOUT);
        } catch (ScriptException ex) {
            throw Database.refused(
                    "The tables of durable tasks must have the layout " + NodeTable.OUR_LAYOUT + ", but "
                            + settings.table() + "_node says " + layout + ", and they cannot be changed: "
                            + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
                    "Start again when no long transaction holds the tables, or let a user that may change them run "
                            + upgradeAdvice(),
                    ex);
        }
    }

    private String upgradeAdvice() {
        return dialect.upgradeScript()
                + " of the package io.github.wheelscheduler.durable, with the name of the table, as UPGRADING.md says.";
    }

    private void populate(Connection connection, String script) throws SQLException {
        new ResourceDatabasePopulator(new ByteArrayResource(read(script))).populate(connection);
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /** PostgreSQL refuses what several nodes replace at the same time. */
    private void inTurn(Connection connection) throws SQLException {
        boolean commitsItself = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("select pg_advisory_xact_lock(hashtext('" + settings.table() + "'))");
            makeOrUpgrade(connection);
        } finally {
            connection.rollback();
            connection.setAutoCommit(commitsItself);
        }
    }

    /** Nodes of another release may have made them, or a user by hand. */
    void requireLayout(NodeTable nodes) {
        int[] layout;
        try {
            layout = nodes.layout();
        } catch (BadSqlGrammarException ex) {
            throw Database.refused(
                    "The tables " + settings.table() + " and " + settings.table()
                            + "_node must be there for durable tasks, but cannot be read: "
                            + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
                    "Run " + dialect.script()
                            + " of the package io.github.wheelscheduler.durable, with the name of the table, "
                            + "or let wheel.scheduler.durable.initialize-schema be always.",
                    ex);
        }
        if (layout == null || layout[0] < NodeTable.OUR_LAYOUT || NodeTable.OUR_LAYOUT < layout[1]) {
            throw Database.refused(
                    "The tables of durable tasks must have the layout " + NodeTable.OUR_LAYOUT + ", but "
                            + settings.table() + "_node says "
                            + (layout == null ? "nothing of it" : layout[0] + ", for nodes of at least " + layout[1]),
                    layout != null && NodeTable.OUR_LAYOUT < layout[1]
                            ? "Run a newer release of Wheel Scheduler on this node."
                            : layout != null && layout[0] == NodeTable.OUR_LAYOUT - 1
                                    ? "Run " + upgradeAdvice()
                                            + " Or let wheel.scheduler.durable.initialize-schema be always."
                                    : "Run " + dialect.script()
                                            + " of the package io.github.wheelscheduler.durable, with the name of the table.",
                    null);
        }
    }

    private byte[] read(String script) {
        try {
            String text = new ClassPathResource(script, DurableEngine.class).getContentAsString(StandardCharsets.UTF_8);
            String name = TaskTable.DEFAULT_NAME;
            String indexes = settings.table().substring(settings.table().indexOf('.') + 1);
            return text.replace("index if not exists " + name, "index if not exists " + indexes)
                    .replaceAll("(?<=[ ('])" + name + "(_node|_nudge)?(?=[ (\n'])", settings.table() + "$1")
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
