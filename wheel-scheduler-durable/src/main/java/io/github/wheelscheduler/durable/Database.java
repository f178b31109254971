package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.Resolvable;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.TaskRepository;
import com.github.kagkarlsson.scheduler.TaskResolver;
import com.github.kagkarlsson.scheduler.event.SchedulerListeners;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepository;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Task;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** Finds out which database it is, when it answers for the first time, and makes the table there if that is asked for. Any thread. */
final class Database {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private final DataSource dataSource;
    private final DurableSettings settings;
    private final JdbcTemplate jdbc;

    private volatile @Nullable TaskTable table;
    private volatile @Nullable Dialect dialect;

    Database(DataSource dataSource, DurableSettings settings) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource must not be null");
        this.settings = settings;
        this.jdbc = new JdbcTemplate(dataSource);
    }

    /**
     * Returns the table.
     *
     * @throws org.springframework.dao.DataAccessException if the database does not answer
     * @throws UnsupportedDatabaseException if it is none that this works with
     */
    TaskTable table() {
        TaskTable known = table;
        return known != null ? known : open();
    }

    /** Returns its rows of recurring tasks; throws likewise. */
    RecurringTable recurring() {
        return new RecurringTable(table());
    }

    private synchronized TaskTable open() {
        TaskTable known = table;
        if (known != null) {
            return known;
        }
        String product = jdbc.execute((ConnectionCallback<String>)
                connection -> connection.getMetaData().getDatabaseProductName());
        Dialect found = dialectOf(String.valueOf(product));
        if ("MySQL".equals(product)) {
            LOGGER.warn("Durable tasks have been tried on MariaDB, and not on MySQL; the statements are the same");
        }
        if (settings.initializeSchema()) {
            makeTable(found);
        }
        TaskTable opened = new TaskTable(dataSource, found, settings.table());
        dialect = found;
        table = opened;
        return opened;
    }

    /** On a connection of its own: with a transaction of the caller's, the table might go, or the transaction end. */
    private void makeTable(Dialect found) {
        try (Connection connection = dataSource.getConnection()) {
            new ResourceDatabasePopulator(new ByteArrayResource(script(found))).populate(connection);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException ex) {
            throw new CannotGetJdbcConnectionException("Failed to make the table on a connection of its own", ex);
        }
    }

    private static Dialect dialectOf(String product) {
        try {
            return Dialect.of(product);
        } catch (IllegalStateException ex) {
            throw new UnsupportedDatabaseException(product, ex);
        }
    }

    private byte[] script(Dialect found) {
        try {
            String text =
                    new ClassPathResource(found.script(), Database.class).getContentAsString(StandardCharsets.UTF_8);
            String indexes = settings.table().substring(settings.table().indexOf('.') + 1);
            return text.replace("index if not exists " + TaskTable.DEFAULT_NAME, "index if not exists " + indexes)
                    .replace(" " + TaskTable.DEFAULT_NAME + " ", " " + settings.table() + " ")
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns a connection for what must not wait for others. */
    HeldConnection held() {
        return new HeldConnection(
                dataSource, Objects.requireNonNull(dialect, "the table must be known"), settings.table());
    }

    /** Returns db-scheduler's door to the table, which claims ahead; outside of transactions of users. */
    TaskRepository repository(Handlers handlers, PassedOver passedOver, DatabaseClock clock, LongSupplier nanoClock) {
        Dialect found = Objects.requireNonNull(dialect, "the table must be known");
        SchedulerName node = new SchedulerName.Fixed(settings.node());
        return new JdbcTaskRepository(
                dataSource,
                true,
                new ClaimAhead(dataSource, found, settings.claimAhead(), handlers, passedOver, nanoClock),
                settings.table(),
                new AnyTask(clock),
                node,
                new RawBytes(),
                false,
                clock::now);
    }

    /** Claims ask for the names of handlers, so db-scheduler knows no task, and has nothing against any. */
    @SuppressWarnings("rawtypes") // as it declares it
    private static final class AnyTask extends TaskResolver {

        AnyTask(DatabaseClock clock) {
            super(SchedulerListeners.NOOP, clock::now, List.of());
        }

        @Override
        public Optional<Task> resolve(Resolvable row, boolean excludesUnresolved) {
            return Optional.empty();
        }

        @Override
        public boolean isUnresolved(String taskName) {
            return false;
        }
    }

    /** Payloads are read by their handlers, not by db-scheduler. */
    private static final class RawBytes implements Serializer {

        @Override
        public byte[] serialize(Object data) {
            return (byte[]) data;
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] data) {
            return type.cast(data);
        }
    }

    /**
     * A connection that is kept out of its pool: a node whose runs use up the pool must still say that it is alive. One thread uses it at a time. A connection that has
     * failed is given back, and the next call takes another one.
     */
    static final class HeldConnection {

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
            try {
                return work.apply(new TaskTable(connect(), dialect, table));
            } catch (Throwable ex) {
                close();
                throw ex;
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
}
