package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import io.github.wheelscheduler.durable.internal.NodeTable.NodeRow;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.internal.trace.DurableTraces;
import io.github.wheelscheduler.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.ClassUtils;

/**
 * Finds out which database it is, when it answers for the first time, and makes the table there if that is asked for.
 * Any thread.
 */
public final class Database {

    private static final int LEAST_CONNECTIONS = 2;

    /** One each for heartbeats, to listen, to tell others, for looks and ends, and for a user. */
    static final int LEAST_TO_LISTEN = 5;

    /** One each for heartbeats, for looks and ends, and for a user. */
    private static final int LEAST_WITHOUT_LISTENING = 3;

    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", Database.class.getClassLoader());

    private final DataSource dataSource;
    private final DurableSettings settings;
    private final Function<Dialect, String> now;
    private final JdbcTemplate jdbc;

    public final DurableTraces traces = new DurableTraces();

    private volatile @Nullable Tables tables;

    public Database(DataSource dataSource, DurableSettings settings) {
        this(dataSource, settings, Dialect::now);
    }

    /** Makes one whose statements have an expression of the caller's for the time. */
    Database(DataSource dataSource, DurableSettings settings, Function<Dialect, String> now) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource must not be null");
        this.settings = settings;
        this.now = now;
        this.jdbc = new JdbcTemplate(dataSource);
    }

    /**
     * Returns the tables, over connections of the pool.
     *
     * @throws org.springframework.dao.DataAccessException if the database does not answer
     * @throws UnsupportedDatabaseException if it is none that this works with, or its tables are not
     */
    public Tables tables() {
        Tables known = tables;
        return known != null ? known : open();
    }

    private synchronized Tables open() {
        Tables known = tables;
        if (known != null) {
            return known;
        }
        String product = jdbc.execute((ConnectionCallback<String>)
                connection -> connection.getMetaData().getDatabaseProductName());
        Dialect dialect = Dialect.of(String.valueOf(product));
        if ("MySQL".equals(product)) {
            LOGGER.warn("Durable tasks are untested on MySQL; they use the statements for MariaDB. Test yours on it");
        }
        Schema schema = new Schema(dataSource, dialect, settings);
        if (settings.initializeSchema()) {
            schema.make();
        }
        requireTwoConnections();
        Tables opened = Tables.of(new Sql(dataSource, dialect, settings.table(), now, traces));
        schema.requireLayout(opened.nodes());
        tables = opened;
        return opened;
    }

    /**
     * The reason why durable tasks cannot be kept in a database.
     *
     * @param action the recommended action
     */
    public record Refusal(
            @Nullable String message,
            String action,
            @Nullable Exception cause) {}

    static UnsupportedDatabaseException refused(@Nullable String message, String action, @Nullable Exception cause) {
        return new UnsupportedDatabaseException(new Refusal(message, action, cause));
    }

    /** Returns which one it is; null before it has answered for the first time. */
    @Nullable
    Dialect knownDialect() {
        Tables known = tables;
        return known == null ? null : known.sql().dialect();
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** Returns a connection of the pool. */
    Connection connection() throws SQLException {
        return dataSource.getConnection();
    }

    /**
     * Whether a node may keep a second connection to listen, and one to tell others, for as long as it does. A pool
     * that does not say how many it has may have none.
     */
    boolean hasRoomToListen() {
        return size() >= LEAST_TO_LISTEN && size() != Integer.MAX_VALUE;
    }

    /** Returns how many connections the pool has at most; many if it does not say. */
    int size() {
        return HAS_HIKARI
                ? Hikari.ask(dataSource, HikariDataSource::getMaximumPoolSize, Integer.MAX_VALUE)
                : Integer.MAX_VALUE;
    }

    /**
     * Says so where a run in a transaction would have no connection of its own beside the ones the node keeps. Runs
     * beyond that wait for one another.
     */
    void reportFewConnections() {
        int needed = (hasRoomToListen() ? LEAST_TO_LISTEN : LEAST_WITHOUT_LISTENING) + 1;
        int size = size();
        if (size < needed) {
            LOGGER.warn("The pool must have at least " + needed
                    + " connections for a transactional handler of durable tasks, was " + size
                    + ": its run holds a connection, so that run and the polls of the node wait for each other. "
                    + "Enlarge the pool");
        }
    }

    private void requireTwoConnections() {
        int size = size();
        if (size < LEAST_CONNECTIONS) {
            throw refused(
                    "The pool must have at least two connections for durable tasks, one of which heartbeats keep, was "
                            + size,
                    "Give the pool better max-concurrent and two connections, as by "
                            + "spring.datasource.hikari.maximum-pool-size.",
                    null);
        }
    }

    /** The first one is kept for heartbeats from now on. A pool that says how large it is has been asked before. */
    void requireSecondConnection() {
        try {
            Instant ignored = tables().tasks().now();
        } catch (CannotGetJdbcConnectionException ex) {
            throw new DataAccessResourceFailureException(
                    "The pool must have a free connection for durable tasks beside the one that heartbeats keep, but "
                            + "has none: enlarge it",
                    ex);
        }
    }

    /**
     * Returns how long a connection may be kept before the pool takes it for lost and says so; zero if it never does.
     */
    Duration longestKept() {
        return Duration.ofMillis(
                HAS_HIKARI ? Hikari.ask(dataSource, HikariDataSource::getLeakDetectionThreshold, 0L) : 0);
    }

    /** Reads the size of a pool of HikariCP, whose class may be missing. */
    private static final class Hikari {

        static <T> T ask(DataSource dataSource, Function<HikariDataSource, T> question, T otherwise) {
            try {
                return dataSource.isWrapperFor(HikariDataSource.class)
                        ? question.apply(dataSource.unwrap(HikariDataSource.class))
                        : otherwise;
            } catch (SQLException ex) {
                return otherwise;
            }
        }
    }

    /** Returns a connection for what must not wait for others. */
    HeldConnection held() {
        return new HeldConnection(
                dataSource,
                settings,
                source -> new Sql(source, tables().sql().dialect(), settings.table(), now, traces));
    }

    /**
     * A connection that is kept out of its pool: a node whose runs use up the pool must still say that it is alive. One
     * thread uses it at a time. A connection that has failed, or has not answered for half as long as makes a node
     * dead, is given back, and the next call takes another one.
     */
    static final class HeldConnection {

        private final DataSource dataSource;
        private final DurableSettings settings;
        private final Function<DataSource, Sql> statements;

        private Statements.@Nullable Kept held;

        HeldConnection(DataSource dataSource, DurableSettings settings, Function<DataSource, Sql> statements) {
            this.dataSource = dataSource;
            this.settings = settings;
            this.statements = statements;
        }

        /** Does something with the tables over this connection. */
        synchronized <T extends @Nullable Object> T use(Function<Tables, T> work) {
            try {
                return work.apply(Tables.of(statements.apply(connect())));
            } catch (Throwable ex) {
                close();
                throw ex;
            }
        }

        private DataSource connect() {
            Statements.Kept current = held;
            if (current == null) {
                current = another();
                held = current;
            }
            return current;
        }

        private Statements.Kept another() {
            try {
                Connection connection = dataSource.getConnection();
                try {
                    connection.setNetworkTimeout(
                            Runnable::run, (int) settings.deadAfter().toMillis() / 2);
                } catch (SQLException ex) {
                    LOGGER.debug(
                            "The driver refused a network timeout, so heartbeats may wait for the database "
                                    + "without a limit",
                            ex);
                }
                return new Statements.Kept(connection);
            } catch (SQLException ex) {
                throw new CannotGetJdbcConnectionException("Failed to obtain the connection that heartbeats keep", ex);
            }
        }

        /**
         * Puts another one in its place, so that the pool does not take it for lost. Waits for the pool, and holds
         * nobody up meanwhile.
         */
        void renew() {
            Statements.Kept other = another();
            synchronized (this) {
                Statements.Kept old = held;
                held = old == null ? null : other;
                (old == null ? other : old).destroy();
            }
        }

        /** Gives the connection back. */
        synchronized void close() {
            Statements.Kept current = held;
            held = null;
            if (current != null) {
                current.destroy();
            }
        }
    }

    /** The tables over connections of one kind. Any thread, as far as the connections allow it. */
    public record Tables(
            Sql sql,
            TaskTable tasks,
            ClaimTable claims,
            EndTable ends,
            RecurringTable recurring,
            DeclaredTable declared,
            MadeTable made,
            NodeTable nodes) {

        static Tables of(Sql sql) {
            Dialect dialect = sql.dialect();
            TaskTable tasks = new TaskTable(sql, dialect);
            NodeTable nodes = new NodeTable(sql);
            MadeTable made = new MadeTable(sql, dialect, tasks);
            return new Tables(
                    sql,
                    tasks,
                    new ClaimTable(sql, dialect),
                    new EndTable(sql, dialect),
                    new RecurringTable(sql, dialect, made),
                    new DeclaredTable(sql, dialect, tasks, nodes),
                    made,
                    nodes);
        }

        /**
         * Names of rows that are not those of recurring tasks, with the handlers of recurring ones that are made at
         * run time.
         */
        private List<String> namesOfHandlers(List<String> names) {
            Set<String> handlers = new TreeSet<>(names);
            if (handlers.remove(Handler.MADE)) {
                handlers.addAll(tasks.waitingMadeFor());
            }
            boolean ignored = handlers.remove(Handler.RECURRING);
            Stream<String> all = handlers.stream();
            return (sql.dialect() == Dialect.MARIADB ? all.map(Handler::known).distinct() : all).toList();
        }

        /**
         * Returns which nodes have claimed how much, and how much waits.
         *
         * @param before the handlers of nodes, as far as they are known
         * @param deadAfter after how long a node that has said nothing is no evidence of what nodes have
         */
        DurableOverview overview(KnownHandlers before, Duration deadAfter) {
            Map<Long, Integer> claimed = claims.claimedByOwner();
            List<NodeRow> rows = nodes.list();
            KnownHandlers known = before.learn(rows, tasks.now().minus(deadAfter), nodes::handlersOf);
            List<String> names = tasks.waitingNames();
            List<DurableOverview.NodeShare> shares = rows.stream()
                    .filter(node -> !node.isDead())
                    .map(node -> new DurableOverview.NodeShare(
                            node.name(), claimed.getOrDefault(node.incarnation(), 0), node.beatAt()))
                    .toList();
            return new DurableOverview(
                    shares,
                    tasks.overdue(names),
                    tasks.inState(RowState.FAILED),
                    tasks.inState(RowState.UNREADABLE),
                    namesOfHandlers(names).stream()
                            .filter(known::lack)
                            .limit(DurableOverview.MOST_NAMES)
                            .toList());
        }
    }
}
