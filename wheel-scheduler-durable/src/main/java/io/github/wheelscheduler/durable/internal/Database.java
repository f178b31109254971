package io.github.wheelscheduler.durable.internal;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import io.github.wheelscheduler.durable.internal.TaskTable.RowState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.util.ClassUtils;

/** Finds out which database it is, when it answers for the first time, and makes the table there if that is asked for. Any thread. */
public final class Database {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    /** SQL states of what makes no sense to a database, or is not allowed, begin so. */
    private static final String NOT_ALLOWED = "42";

    private static final int LEAST_CONNECTIONS = 2;

    /** One each for heartbeats, to listen, to tell others, for looks and ends, and for a user. */
    static final int LEAST_TO_LISTEN = 5;

    /** One each for heartbeats, to listen, for looks, and for ends. */
    private static final int BESIDE_RUNS = 4;

    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", Database.class.getClassLoader());

    private final DataSource dataSource;
    private final DurableSettings settings;
    private final JdbcTemplate jdbc;

    private volatile @Nullable Tables tables;

    public Database(DataSource dataSource, DurableSettings settings) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource must not be null");
        this.settings = settings;
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
        Dialect dialect = dialectOf(String.valueOf(product));
        if ("MySQL".equals(product)) {
            LOGGER.warn("Durable tasks have been tried on MariaDB, and not on MySQL; the statements are the same");
        }
        if (settings.initializeSchema()) {
            makeTables(dialect);
        }
        requireTwoConnections();
        Tables opened = Tables.of(new Sql(dataSource, dialect, settings.table()));
        requireLayout(opened, dialect);
        tables = opened;
        return opened;
    }

    /**
     * Why durable tasks cannot be kept in a database.
     *
     * @param action what to do about it
     */
    public record Refusal(
            @Nullable String message,
            String action,
            @Nullable Exception cause) {}

    private static UnsupportedDatabaseException refused(
            @Nullable String message, String action, @Nullable Exception cause) {
        return new UnsupportedDatabaseException(new Refusal(message, action, cause));
    }

    /** Returns which one it is; null before it has answered for the first time. */
    @Nullable
    Dialect knownDialect() {
        Tables known = tables;
        return known == null ? null : known.sql().dialect();
    }

    /** Returns a connection of the pool. */
    Connection connection() throws SQLException {
        return dataSource.getConnection();
    }

    /** Whether a node may keep a second connection to listen, and one to tell others, for as long as it does. A pool that does not say how many it has may have none. */
    boolean hasRoomToListen() {
        return size() >= LEAST_TO_LISTEN && size() != Integer.MAX_VALUE;
    }

    /** Returns how many connections the pool has at most; many if it does not say. */
    int size() {
        return HAS_HIKARI ? Hikari.size(dataSource) : Integer.MAX_VALUE;
    }

    /** Says so where runs that hold a connection each, beside heartbeats, looks, ends and listening, may use up the pool. */
    void reportFewConnections() {
        int needed = settings.maxConcurrent() + BESIDE_RUNS;
        int size = size();
        if (size < needed) {
            LOGGER.warn("The pool has " + size + " connections, and " + settings.maxConcurrent()
                    + " durable tasks run at a time, whose transactional handlers hold one each: give it max-concurrent and "
                    + BESIDE_RUNS + ", which are " + needed
                    + ", or let fewer run, or heartbeats alone will go on while it is used up");
        }
    }

    private void requireTwoConnections() {
        int size = size();
        if (size < LEAST_CONNECTIONS) {
            throw refused(
                    "The pool must have at least two connections for durable tasks, one of which heartbeats keep, was "
                            + size,
                    "Give the pool better max-concurrent and two connections, as by spring.datasource.hikari.maximum-pool-size.",
                    null);
        }
    }

    /** Returns how long a connection may be kept before the pool takes it for lost and says so; zero if it never does. */
    Duration longestKept() {
        return Duration.ofMillis(HAS_HIKARI ? Hikari.leakMillis(dataSource) : 0);
    }

    /** What a pool of HikariCP says of itself; the class need not be there. */
    private static final class Hikari {

        private Hikari() {}

        private static @Nullable HikariDataSource pool(DataSource dataSource) {
            try {
                return dataSource.isWrapperFor(HikariDataSource.class)
                        ? dataSource.unwrap(HikariDataSource.class)
                        : null;
            } catch (SQLException ex) {
                return null;
            }
        }

        static int size(DataSource dataSource) {
            HikariDataSource pool = pool(dataSource);
            return pool == null ? Integer.MAX_VALUE : pool.getMaximumPoolSize();
        }

        static long leakMillis(DataSource dataSource) {
            HikariDataSource pool = pool(dataSource);
            return pool == null ? 0 : pool.getLeakDetectionThreshold();
        }
    }

    /** On a connection of its own: with a transaction of the caller's, the tables might go, or the transaction end. */
    private void makeTables(Dialect dialect) {
        try (Connection connection = dataSource.getConnection()) {
            if (areMade(connection)) {
                return;
            }
            if (dialect == Dialect.POSTGRESQL) {
                inTurn(connection, dialect);
            } else {
                populate(connection, dialect);
            }
        } catch (SQLException ex) {
            throw new CannotGetJdbcConnectionException("Failed to make the tables on a connection of its own", ex);
        } catch (ScriptException ex) {
            Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
            // Two nodes that make them at the same time are in each other's way once.
            if (cause instanceof SQLException failure
                    && String.valueOf(failure.getSQLState()).startsWith(NOT_ALLOWED)) {
                throw refused(
                        "The tables " + settings.table() + " and " + settings.table() + "_node cannot be made: "
                                + failure.getMessage(),
                        "Give wheel.scheduler.durable.table a name that the database does not keep for itself, or let a user that may make tables run "
                                + dialect.script() + " of the package io.github.wheelscheduler.durable.",
                        ex);
            }
            throw ex;
        }
    }

    /** To make an index that is there, PostgreSQL waits for all transactions that have written into the table, and makes all wait who come later. */
    private boolean areMade(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select layout from " + settings.table() + "_node where incarnation = " + NodeTable.LAYOUT)) {
            return row.next();
        } catch (SQLException ex) {
            LOGGER.debug("The tables are to be made", ex);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return false;
        }
    }

    private void populate(Connection connection, Dialect dialect) throws SQLException {
        new ResourceDatabasePopulator(new ByteArrayResource(script(dialect))).populate(connection);
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /** PostgreSQL refuses what several nodes replace at the same time. */
    private void inTurn(Connection connection, Dialect dialect) throws SQLException {
        boolean commitsItself = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("select pg_advisory_xact_lock(hashtext('" + settings.table() + "'))");
            populate(connection, dialect);
        } finally {
            connection.rollback();
            connection.setAutoCommit(commitsItself);
        }
    }

    /** Nodes of another release may have made them, or a user by hand. */
    private void requireLayout(Tables opened, Dialect dialect) {
        int[] layout;
        try {
            layout = opened.nodes().layout();
        } catch (BadSqlGrammarException ex) {
            throw refused(
                    "The tables " + settings.table() + " and " + settings.table()
                            + "_node must be there for durable tasks, but cannot be read: "
                            + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
                    "Run " + dialect.script()
                            + " of the package io.github.wheelscheduler.durable, with the name of the table, "
                            + "or let wheel.scheduler.durable.initialize-schema be always.",
                    ex);
        }
        if (layout == null || layout[0] < NodeTable.OUR_LAYOUT || NodeTable.OUR_LAYOUT < layout[1]) {
            throw refused(
                    "The tables of durable tasks must have the layout " + NodeTable.OUR_LAYOUT + ", but "
                            + settings.table() + "_node says "
                            + (layout == null ? "nothing of it" : layout[0] + ", for nodes of at least " + layout[1]),
                    layout != null && NodeTable.OUR_LAYOUT < layout[1]
                            ? "Run a newer release of Wheel Scheduler on this node."
                            : "Run " + dialect.script()
                                    + " of the package io.github.wheelscheduler.durable, with the name of the table.",
                    null);
        }
    }

    private static Dialect dialectOf(String product) {
        try {
            return Dialect.of(product);
        } catch (IllegalStateException ex) {
            throw refused(
                    ex.getMessage(),
                    "Keep durable tasks in a PostgreSQL, a MariaDB or a MySQL: give the application a second DataSource for it, with @DurableDataSource.",
                    ex);
        }
    }

    private byte[] script(Dialect dialect) {
        try {
            String text = new ClassPathResource(dialect.script(), DurableEngine.class)
                    .getContentAsString(StandardCharsets.UTF_8);
            String name = TaskTable.DEFAULT_NAME;
            String indexes = settings.table().substring(settings.table().indexOf('.') + 1);
            return text.replace("index if not exists " + name, "index if not exists " + indexes)
                    .replaceAll("(?<=[ ('])" + name + "(_node|_nudge)?(?=[ (\n'])", settings.table() + "$1")
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns a connection for what must not wait for others. */
    HeldConnection held() {
        return new HeldConnection(dataSource, tables().sql().dialect(), settings);
    }

    /**
     * A connection that is kept out of its pool: a node whose runs use up the pool must still say that it is alive. One thread uses it at a time. A connection that has
     * failed, or has not answered for half as long as makes a node dead, is given back, and the next call takes another one.
     */
    static final class HeldConnection {

        private final DataSource dataSource;
        private final Dialect dialect;
        private final DurableSettings settings;

        private @Nullable SingleConnectionDataSource held;

        HeldConnection(DataSource dataSource, Dialect dialect, DurableSettings settings) {
            this.dataSource = dataSource;
            this.dialect = dialect;
            this.settings = settings;
        }

        /** Does something with the tables over this connection. */
        synchronized <T extends @Nullable Object> T use(Function<Tables, T> work) {
            try {
                return work.apply(Tables.of(new Sql(connect(), dialect, settings.table())));
            } catch (Throwable ex) {
                close();
                throw ex;
            }
        }

        private DataSource connect() {
            SingleConnectionDataSource current = held;
            if (current == null) {
                current = another();
                held = current;
            }
            return current;
        }

        private SingleConnectionDataSource another() {
            try {
                Connection connection = dataSource.getConnection();
                try {
                    connection.setNetworkTimeout(
                            Runnable::run, (int) settings.deadAfter().toMillis() / 2);
                } catch (SQLException ex) {
                    LOGGER.debug("The driver waits for an answer for as long as it likes", ex);
                }
                return new SingleConnectionDataSource(connection, true);
            } catch (SQLException ex) {
                throw new CannotGetJdbcConnectionException("Failed to obtain a connection to keep", ex);
            }
        }

        /** Puts another one in its place, so that the pool does not take it for lost. Waits for the pool, and holds nobody up meanwhile. */
        void renew() {
            SingleConnectionDataSource other = another();
            synchronized (this) {
                SingleConnectionDataSource old = held;
                held = old == null ? null : other;
                (old == null ? other : old).destroy();
            }
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

    /** The tables over connections of one kind. Any thread, as far as the connections allow it. */
    public record Tables(Sql sql, TaskTable tasks, RecurringTable recurring, NodeTable nodes) {

        static Tables of(Sql sql) {
            return new Tables(sql, new TaskTable(sql), new RecurringTable(sql), new NodeTable(sql));
        }

        /** Returns which nodes have claimed how much, and how much waits. */
        public DurableOverview overview() {
            Map<Long, Integer> claimed = tasks.claimedByOwner();
            List<DurableOverview.NodeShare> shares = nodes.list().stream()
                    .filter(node -> !node.isDead())
                    .map(node -> new DurableOverview.NodeShare(
                            node.name(), claimed.getOrDefault(node.incarnation(), 0), node.beatAt()))
                    .toList();
            return new DurableOverview(
                    shares, tasks.overdue(), tasks.inState(RowState.FAILED), tasks.inState(RowState.UNREADABLE));
        }
    }

    /**
     * The database's clock as seen from here: it is asked now and then, and in between the monotonic clock goes on from there. The clock of this
     * machine has no say. Any thread.
     */
    public static final class DatabaseClock {

        private static final int QUESTIONS = 3;

        /** An older answer is worth less, as clocks drift apart. */
        private static final long MOST_DRIFT = 20_000;

        private final LongSupplier nanoClock;

        private volatile Answer answer = new Answer(Instant.EPOCH, 0, Long.MAX_VALUE / 4);

        /** @param errorNanos by how much it may be wrong */
        private record Answer(Instant time, long atNanos, long errorNanos) {

            long errorNanos(long nowNanos) {
                return errorNanos + (nowNanos - atNanos) / MOST_DRIFT;
            }
        }

        public DatabaseClock(LongSupplier nanoClock) {
            this.nanoClock = nanoClock;
        }

        /** Asks the database a few times, and believes the quickest answer. */
        void ask(Supplier<Instant> database) {
            for (int i = 0; i < QUESTIONS; i++) {
                long beforeNanos = nanoClock.getAsLong();
                Instant time = database.get();
                long afterNanos = nanoClock.getAsLong();
                long errorNanos = (afterNanos - beforeNanos) / 2;
                Answer next = new Answer(time, beforeNanos + errorNanos, errorNanos);
                if (errorNanos <= answer.errorNanos(afterNanos) || contradicts(next, answer)) {
                    answer = next;
                }
            }
        }

        /** Whether both cannot be right: the database has another clock by now, or the monotonic one has stood still. */
        private static boolean contradicts(Answer next, Answer last) {
            long sinceNanos = next.atNanos() - last.atNanos();
            Duration difference = Duration.between(last.time().plusNanos(sinceNanos), next.time())
                    .abs();
            return difference.compareTo(Duration.ofNanos(next.errorNanos() + last.errorNanos(next.atNanos()))
                            .plusMillis(1))
                    > 0;
        }

        /** Returns the time of the monotonic clock. */
        long nanoTime() {
            return nanoClock.getAsLong();
        }

        Instant now() {
            Answer last = answer;
            return last.time().plusNanos(nanoClock.getAsLong() - last.atNanos());
        }

        /** Returns by how much it may be wrong. */
        public Duration error() {
            return Duration.ofNanos(answer.errorNanos(nanoClock.getAsLong()));
        }
    }
}
