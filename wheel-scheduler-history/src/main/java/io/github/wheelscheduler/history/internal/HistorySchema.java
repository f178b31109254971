package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.HistoryUnavailableException;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import io.github.wheelscheduler.jdbc.internal.SchemaScripts;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.init.ScriptException;

/** Makes the tables of a history, and finds out whether they are what this release needs. */
record HistorySchema(DataSource dataSource, HistorySql sql, HistorySettings settings) {

    /** The layout that this release makes, and the one that it needs. */
    static final int OUR_LAYOUT = 1;

    private static final String LAYOUT = " from {state} where name = 'layout'";

    /** Makes them if they are not there. */
    void make() {
        try {
            scripts().make(OUR_LAYOUT, this::make);
        } catch (ScriptException ex) {
            if (SchemaScripts.isRefused(ex)) {
                throw new HistoryUnavailableException(
                        "The tables " + settings.table() + "_run and others cannot be made: "
                                + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
                        "Let a user that may make tables and views run " + advice(),
                        ex);
            }
            throw ex;
        }
    }

    private void make(Connection connection, int layout) throws SQLException {
        if (layout == SchemaScripts.NONE) {
            String[] scripts = sql.kind() == DatabaseKind.POSTGRESQL
                    ? new String[] {"schema-postgresql-days.sql", script()}
                    : new String[] {script()};
            scripts().populate(connection, scripts);
        }
    }

    private SchemaScripts scripts() {
        return new SchemaScripts(
                dataSource,
                sql.kind(),
                settings.table(),
                sql.text("select number" + LAYOUT),
                HistoryEngine.class,
                this::named,
                HistoryStore.LOGGER);
    }

    private String script() {
        return sql.kind().script("schema");
    }

    private String advice() {
        return script() + " of the package io.github.wheelscheduler.history, with the names of the tables.";
    }

    /** The view of the default tables has a shorter name. */
    private String named(String text) {
        String table = settings.table();
        if (table.equals(HistorySettings.DEFAULT_TABLE)) {
            return text;
        }
        String bare = table.substring(table.indexOf('.') + 1);
        return text.replace("wheel_runs_by_hour", table + "_runs_by_hour")
                .replaceAll("index (if not exists )?" + HistorySettings.DEFAULT_TABLE, "index $1" + bare)
                .replaceAll(
                        "(?<=[ '])" + HistorySettings.DEFAULT_TABLE
                                + "_(run|run_rest|run_id|text|count|hour|day|kind|audit|state)(?=[ \n;'])",
                        table + "_$1");
    }

    /** Nodes of another release may have made them, or a user by hand. */
    void requireLayout() {
        int[] layout;
        try {
            layout = sql.first(
                    "select number, oldest" + LAYOUT, (row, number) -> new int[] {row.getInt(1), row.getInt(2)});
        } catch (BadSqlGrammarException ex) {
            throw new HistoryUnavailableException(
                    "The tables of the history must be there, but " + settings.table() + "_state cannot be read: "
                            + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
                    "Run " + advice() + " Or let wheel.scheduler.history.initialize-schema be always.",
                    ex);
        }
        if (layout == null || layout[0] < OUR_LAYOUT || OUR_LAYOUT < layout[1]) {
            throw wrongLayout(layout);
        }
    }

    private HistoryUnavailableException wrongLayout(int @Nullable [] layout) {
        return new HistoryUnavailableException(
                "The tables of the history must have the layout " + OUR_LAYOUT + ", but " + settings.table()
                        + "_state says "
                        + (layout == null ? "nothing of it" : layout[0] + ", for nodes of at least " + layout[1]),
                layout != null && OUR_LAYOUT < layout[1]
                        ? "Run a newer release of Wheel Scheduler on this node."
                        : "Run " + advice(),
                null);
    }
}
