package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.HistoryUnavailableException;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.util.Objects;
import java.util.function.Function;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Finds out which database it is, when it answers for the first time, and makes the tables there if that is asked for.
 * Any thread.
 */
public final class HistoryStore {

    /** Of all that is below the package for programs, as users know it. */
    static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.history");

    private final DataSource dataSource;
    private final HistorySettings settings;
    private final Function<DatabaseKind, String> now;

    private volatile @Nullable HistorySql sql;

    /** Null if the table of runs has none. Written before sql. */
    private volatile @Nullable RunPartitions partitions;

    public HistoryStore(DataSource dataSource, HistorySettings settings) {
        this(dataSource, settings, DatabaseKind::now);
    }

    /** Makes one whose statements have an expression of the caller's for the time. */
    HistoryStore(DataSource dataSource, HistorySettings settings, Function<DatabaseKind, String> now) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource must not be null");
        this.settings = settings;
        this.now = now;
    }

    public HistorySettings settings() {
        return settings;
    }

    /**
     * Returns the tables.
     *
     * @throws org.springframework.dao.DataAccessException if the database does not answer
     * @throws HistoryUnavailableException if it is none that this works with, or its tables are not
     */
    HistorySql sql() {
        HistorySql known = sql;
        return known != null ? known : open();
    }

    /** Returns the tables; null before the database has answered. */
    @Nullable
    HistorySql known() {
        return sql;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** Makes them before the first row of this node. The next turn tries again. */
    private static void makeDays(RunPartitions made) {
        try {
            boolean ignored = made.keep();
        } catch (RuntimeException ex) {
            LOGGER.debug("The partitions of the history were not made at the start; the next batch tries again", ex);
        }
    }

    /** Returns the days of the table of runs; null if it has none, or has not been opened. */
    @Nullable
    RunPartitions partitions() {
        return partitions;
    }

    /** Asks the database for its tables, with the same exceptions. */
    public void requireTables() {
        Object ignored = sql();
    }

    private synchronized HistorySql open() {
        HistorySql known = sql;
        if (known != null) {
            return known;
        }
        String product = new JdbcTemplate(dataSource).execute((ConnectionCallback<String>)
                connection -> connection.getMetaData().getDatabaseProductName());
        DatabaseKind kind = DatabaseKind.of(String.valueOf(product));
        if (kind == null) {
            throw new HistoryUnavailableException(
                    "The database must be PostgreSQL, MariaDB, MySQL or H2 for a history, was " + product,
                    "Give the history a DataSource of one of these, or leave the module wheel-scheduler-history out.",
                    null);
        }
        HistorySql opened = new HistorySql(dataSource, kind, settings, now);
        HistorySchema schema = new HistorySchema(dataSource, opened, settings);
        if (settings.initializeSchema()) {
            schema.make();
        }
        schema.requireLayout();
        if (RunPartitions.areThere(opened)) {
            RunPartitions made = new RunPartitions(opened, settings.keepRows());
            makeDays(made);
            partitions = made;
        }
        sql = opened;
        return opened;
    }
}
