package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.Claim.RowKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The table, as far as db-scheduler does not ask for what we need. What is called for users takes part in their transactions; what is called
 * for rows of this node is called where there is none. A row that has failed for good is one that is picked and has no heartbeat, so that
 * nobody claims it and nobody finds it dead.
 */
final class TaskTable {

    static final String DEFAULT_NAME = "wheel_durable_task";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");
    private static final int LONGEST_NAME = 40;
    private static final String ONE = " where task_name = ? and task_instance = ?";

    /** All that some nodes may have claimed: each row is looked at several times before it is freed. */
    private static final int MOST_DEAD = 10_000;

    private static final long OVERDUE_MILLIS = 1_000;

    private static final String HAS_FAILED = "(picked = true and last_heartbeat is null)";

    private final DataSource dataSource;
    private final JdbcTemplate outer;

    /** For rows of this node; reads what is committed, so that no two wait for each other because of what is between rows. */
    private final TransactionTemplate transaction;

    private final Dialect dialect;
    private final String name;

    TaskTable(DataSource dataSource, Dialect dialect, String name) {
        this.dataSource = dataSource;
        this.outer = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        this.dialect = dialect;
        this.name = name;
    }

    /** Commits where nobody else does: in no transaction of a user's, on a connection that does not do so by itself. */
    <T extends @Nullable Object> T committed(Function<JdbcTemplate, T> work) {
        return outer.execute((ConnectionCallback<T>) connection -> {
            T result = work.apply(new JdbcTemplate(new SingleConnectionDataSource(connection, true)));
            if (!connection.getAutoCommit() && !isInTransaction()) {
                connection.commit();
            }
            return result;
        });
    }

    /** Whether the connection is that of a transaction of Spring's, which somebody else ends. */
    private boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource);
    }

    int update(String sql, @Nullable Object... parameters) {
        return committed(jdbc -> jdbc.update(sql, parameters));
    }

    String name() {
        return name;
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches() && name.length() <= LONGEST_NAME;
    }

    Instant now() {
        return committed(jdbc -> jdbc.query(
                        dialect.selectNow(), (row, number) -> Objects.requireNonNull(instant(row, "now_there"))))
                .get(0);
    }

    // For users

    boolean insert(String handler, String id, byte[] payload, Instant at) {
        try {
            return update(dialect.insert(name), handler, id, payload, time(at)) == 1;
        } catch (DuplicateKeyException ex) {
            // Only where a statement that fails leaves the transaction usable.
            return false;
        }
    }

    /** The arrays are sorted by id, so that two who insert the same wait for each other in one direction only. */
    int insertAll(String handler, String[] ids, byte[][] payloads, Instant[] times) {
        if (dialect != Dialect.POSTGRESQL) {
            int inserted = 0;
            for (int i = 0; i < ids.length; i++) {
                inserted += insert(handler, ids[i], payloads[i], times[i]) ? 1 : 0;
            }
            return inserted;
        }
        // One statement, not a batch: the text of a batch that fails quotes payloads.
        return committed(jdbc -> jdbc.update(Dialect.insertAll(name), statement -> {
            Connection connection = statement.getConnection();
            statement.setString(1, handler);
            statement.setArray(2, connection.createArrayOf("varchar", ids));
            statement.setArray(3, connection.createArrayOf("bytea", payloads));
            statement.setArray(4, connection.createArrayOf("timestamptz", times));
        }));
    }

    boolean delete(String handler, String id) {
        return update("delete from " + name + ONE + " and (picked = false or " + HAS_FAILED + ")", handler, id) == 1;
    }

    boolean move(String handler, String id, Instant at) {
        return update(
                        "update " + name + " set execution_time = ?, version = version + 1" + ONE
                                + " and picked = false",
                        time(at),
                        handler,
                        id)
                == 1;
    }

    boolean retry(String handler, String id, Instant at) {
        return update(
                        "update " + name
                                + " set execution_time = ?, version = version + 1, picked = false, failure = null, "
                                + "consecutive_failures = 0" + ONE + " and " + HAS_FAILED,
                        time(at),
                        handler,
                        id)
                == 1;
    }

    Optional<DurableTask> find(String handler, String id) {
        return committed(jdbc -> jdbc.query("select * from " + name + ONE, this::read, handler, id)).stream()
                .findFirst();
    }

    List<DurableTask> list(String handler, DurableTask.@Nullable State state, @Nullable String afterId, int limit) {
        String condition = state == null
                ? ""
                : switch (state) {
                    case SCHEDULED -> " and picked = false";
                    case CLAIMED -> " and picked = true and last_heartbeat is not null";
                    case FAILED -> " and " + HAS_FAILED;
                };
        return committed(jdbc -> jdbc.query(
                "select * from " + name + " where task_name = ? and task_instance > ?" + condition
                        + " order by task_instance limit " + limit,
                this::read,
                handler,
                afterId == null ? "" : afterId));
    }

    private DurableTask read(ResultSet row, int number) throws SQLException {
        boolean isPicked = row.getBoolean("picked");
        boolean hasFailed = isPicked && instant(row, "last_heartbeat") == null;
        Instant dueAt = instant(row, "execution_time");
        return new DurableTask(
                row.getString("task_name"),
                row.getString("task_instance"),
                dueAt == null ? Instant.EPOCH : dueAt,
                hasFailed
                        ? DurableTask.State.FAILED
                        : isPicked ? DurableTask.State.CLAIMED : DurableTask.State.SCHEDULED,
                row.getString("picked_by"),
                row.getInt("consecutive_failures"),
                instant(row, "last_failure"),
                row.getString("failure"));
    }

    @Nullable
    Instant instant(ResultSet row, String column) throws SQLException {
        return dialect.instant(row, column);
    }

    /** Returns who has claimed what, and how much waits for somebody. */
    DurableOverview overview() {
        List<DurableOverview.NodeShare> nodes = committed(jdbc -> jdbc.query(
                "select picked_by, count(*), max(last_heartbeat) as heard from " + name
                        + " where picked = true and last_heartbeat is not null group by picked_by order by picked_by",
                (row, number) -> new DurableOverview.NodeShare(
                        String.valueOf(row.getString(1)),
                        row.getInt(2),
                        Objects.requireNonNullElse(instant(row, "heard"), Instant.EPOCH))));
        int overdue =
                count("picked = false and paused = false and execution_time < " + dialect.earlier(), OVERDUE_MILLIS);
        return new DurableOverview(nodes, overdue, count(HAS_FAILED));
    }

    private int count(String condition, Object... parameters) {
        Integer count = committed(jdbc -> jdbc.queryForObject(
                "select count(*) from (select 1 as one from " + name + " where " + condition + " limit "
                        + DurableOverview.MOST + ") some_rows",
                Integer.class,
                parameters));
        return count == null ? 0 : count;
    }

    // For rows of this node

    /** Reads the payload of a row that was too long to come with the claim; null if there is none, or it is not this node's any more. */
    byte @Nullable [] payload(RowKey row) {
        List<byte[]> found = committed(jdbc -> jdbc.query(
                "select task_data from " + name + ONE + " and version = ?",
                (result, number) -> result.getBytes(1),
                row.handler(),
                row.id(),
                row.version()));
        return found.isEmpty() ? null : found.get(0);
    }

    /**
     * Says that rows are alive, and returns for each whether it is still this node's. One that somebody has locked is this node's, and nothing is said of it.
     */
    boolean[] beat(List<RowKey> rows) {
        return switch (dialect) {
            case POSTGRESQL -> beatAll(rows);
            case H2 -> beatEach(rows);
            case MARIADB -> beatUnlocked(rows);
        };
    }

    private boolean[] beatEach(List<RowKey> rows) {
        List<Object[]> parameters = new ArrayList<>();
        for (RowKey row : rows) {
            parameters.add(new Object[] {row.handler(), row.id(), row.version()});
        }
        int[] updated = committed(jdbc -> jdbc.batchUpdate(dialect.beat(name), parameters));
        boolean[] ours = new boolean[updated.length];
        for (int i = 0; i < updated.length; i++) {
            ours[i] = updated[i] != 0;
        }
        return ours;
    }

    /** Those that nobody has locked stay so until it is said: a heartbeat must not wait. Whoever claims a row just then has it said once that it is alive. */
    private boolean[] beatUnlocked(List<RowKey> rows) {
        List<RowKey> unlocked = new ArrayList<>(rows);
        transaction.executeWithoutResult(status -> {
            boolean ignored = unlocked.retainAll(claimed(rows, true));
            if (!unlocked.isEmpty()) {
                int unused = update(Dialect.beatSome(name, unlocked.size()), namesAndIds(unlocked));
            }
        });
        Set<RowKey> claimed = claimed(rows, false);
        boolean[] ours = new boolean[rows.size()];
        for (int i = 0; i < ours.length; i++) {
            ours[i] = claimed.contains(rows.get(i));
        }
        return ours;
    }

    private Set<RowKey> claimed(List<RowKey> rows, boolean skipsLocked) {
        String sql = Dialect.claimed(name, rows.size()) + (skipsLocked ? dialect.skippingLocked() : "");
        return new HashSet<>(committed(jdbc -> jdbc.query(sql, TaskTable::readKey, namesAndIds(rows))));
    }

    private static Object[] namesAndIds(List<RowKey> rows) {
        return rows.stream().flatMap(row -> Stream.of(row.handler(), row.id())).toArray();
    }

    private static RowKey readKey(ResultSet row, int number) throws SQLException {
        return new RowKey(row.getString(1), row.getString(2), row.getLong(3));
    }

    private boolean[] beatAll(List<RowKey> rows) {
        PreparedStatementSetter arrays = statement -> {
            Connection connection = statement.getConnection();
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "varchar", rows.stream().map(RowKey::handler).toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "varchar", rows.stream().map(RowKey::id).toArray()));
            statement.setArray(
                    3,
                    connection.createArrayOf(
                            "bigint", rows.stream().map(RowKey::version).toArray()));
        };
        int updated = committed(jdbc -> jdbc.update(Dialect.beatAll(name), arrays));
        boolean[] ours = new boolean[rows.size()];
        Arrays.fill(ours, updated == ours.length);
        if (updated < ours.length) {
            List<Integer> there =
                    committed(jdbc -> jdbc.query(Dialect.stillThere(name), arrays, (row, number) -> row.getInt(1)));
            there.forEach(number -> ours[number - 1] = true);
        }
        return ours;
    }

    /** Returns what has shown no life for so long, without what somebody has locked: its node cannot say that it is alive. */
    List<RowKey> dead(Duration time) {
        return committed(jdbc -> jdbc.query(
                "select task_name, task_instance, version from " + name + " where " + dialect.isDead()
                        + " order by last_heartbeat limit " + MOST_DEAD + dialect.skippingLocked(),
                TaskTable::readKey,
                time.toMillis()));
    }

    /** Lets others claim rows that have shown no life for so long, and returns how many: not what has shown some, what somebody else was faster with, or has locked. */
    int freeDead(List<RowKey> rows, Duration time) {
        if (dialect == Dialect.MARIADB) {
            return freeUnlocked(rows, time);
        }
        int freed = 0;
        for (RowKey row : rows) {
            freed += update(dialect.freeDead(name), row.handler(), row.id(), row.version(), time.toMillis());
        }
        return freed;
    }

    private int freeUnlocked(List<RowKey> rows, Duration time) {
        Object[] parameters = Stream.concat(Stream.of(namesAndIds(rows)), Stream.of(time.toMillis()))
                .toArray();
        Integer freed = transaction.execute(status -> {
            List<RowKey> dead = new ArrayList<>(rows);
            boolean ignored = dead.retainAll(new HashSet<>(committed(
                    jdbc -> jdbc.query(Dialect.lockDead(name, rows.size()), TaskTable::readKey, parameters))));
            return dead.isEmpty() ? 0 : update(Dialect.freeSome(name, dead.size()), namesAndIds(dead));
        });
        return Objects.requireNonNull(freed);
    }

    /** Whether there is a row of that name and id. */
    boolean exists(RowKey row) {
        return find(row.handler(), row.id()).isPresent();
    }

    /** Keeps a row that has failed for good; false if it is not this node's any more. */
    boolean giveUp(RowKey row, int failures, Instant now, String failure) {
        return update(
                        "update " + name
                                + " set picked = true, picked_by = null, last_heartbeat = null, consecutive_failures = ?, "
                                + "last_failure = ?, failure = ?, version = version + 1" + ONE + " and version = ?",
                        failures,
                        time(now),
                        failure,
                        row.handler(),
                        row.id(),
                        row.version())
                == 1;
    }

    /** Lets a row wait for another run; false if it is not this node's any more. */
    boolean release(RowKey row, Instant at, int failures, @Nullable Instant failedAt) {
        return update(
                        "update " + name
                                + " set picked = false, picked_by = null, last_heartbeat = null, execution_time = ?, "
                                + "consecutive_failures = ?, last_failure = ?, version = version + 1" + ONE
                                + " and version = ?",
                        time(at),
                        failures,
                        timeOrNull(failedAt),
                        row.handler(),
                        row.id(),
                        row.version())
                == 1;
    }

    /** Deletes a row that has run; false if it is not this node's any more. */
    boolean done(RowKey row) {
        return update("delete from " + name + ONE + " and version = ?", row.handler(), row.id(), row.version()) == 1;
    }

    @Nullable
    Object timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : time(instant);
    }

    Object time(Instant instant) {
        return dialect.time(instant);
    }

    /** Returns how the database says what differs. */
    Dialect dialect() {
        return dialect;
    }
}
