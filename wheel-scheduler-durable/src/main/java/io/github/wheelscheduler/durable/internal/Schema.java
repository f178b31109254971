package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.jdbc.internal.SchemaScripts;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.init.ScriptException;

/**
 * Makes the tables, or adds to those of the layout before, and finds out whether they are what this release needs.
 *
 * @param settings say what they are called
 */
record Schema(DataSource dataSource, Dialect dialect, DurableSettings settings) {

    /** Makes or changes them, if they are not what this release needs. */
    void make() {
        try {
            scripts().make(NodeTable.OUR_LAYOUT, this::makeOrUpgrade);
        } catch (ScriptException ex) {
            if (SchemaScripts.isRefused(ex)) {
                throw Database.refused(
                        "The tables " + settings.table() + " and " + settings.table() + "_node cannot be made: "
                                + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
                        "Give wheel.scheduler.durable.table a name that the database does not keep for itself, or let "
                                + "a user that may make tables run "
                                + dialect.script() + " of the package io.github.wheelscheduler.durable.",
                        ex);
            }
            throw ex;
        }
    }

    private SchemaScripts scripts() {
        return new SchemaScripts(
                dataSource,
                dialect.kind(),
                settings.table(),
                "select layout from " + settings.table() + "_node where incarnation = " + NodeTable.LAYOUT,
                DurableEngine.class,
                this::named,
                LOGGER);
    }

    private void makeOrUpgrade(Connection connection, int layout) throws SQLException {
        if (layout == SchemaScripts.NONE) {
            scripts().populate(connection, dialect.script());
        } else if (layout == NodeTable.OUR_LAYOUT - 1) {
            upgrade(connection, layout);
        }
    }

    private void upgrade(Connection connection, int layout) throws SQLException {
        try {
            scripts().populate(connection, dialect.upgradeScript());
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
                                            + " of the package io.github.wheelscheduler.durable, with the name of the "
                                            + "table.",
                    null);
        }
    }

    private String named(String text) {
        String name = TaskTable.DEFAULT_NAME;
        String indexes = settings.table().substring(settings.table().indexOf('.') + 1);
        return text.replace("index if not exists " + name, "index if not exists " + indexes)
                .replaceAll("(?<=[ ('])" + name + "(_node|_nudge)?(?=[ (\n'])", settings.table() + "$1");
    }
}
