package io.github.wheelscheduler.durable;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The table, as far as db-scheduler does not ask for what we need. What is called for users takes part in their transactions; what is called
 * for rows of this node is called where there is none. A row that has failed for good is one that is picked and has no heartbeat, so that
 * nobody claims it and nobody finds it dead.
 */
final class TaskTable {

    static final String DEFAULT_NAME = "wheel_durable_task";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");
    private static final String ONE = " where task_name = ? and task_instance = ?";

    /** The id of the only row of a recurring task. */
    private static final String THE_ONE = "recurring";

    private static final String HAS_FAILED = "(picked = true and last_heartbeat is null)";

    private final JdbcTemplate jdbc;
    private final Dialect dialect;
    private final String name;

    TaskTable(JdbcTemplate jdbc, Dialect dialect, String name) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.name = name;
    }

    static String checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "table must be letters, digits and _, perhaps after a schema and a dot, was '" + name + "'");
        }
        return name;
    }

    Instant now() {
        OffsetDateTime now = jdbc.queryForObject(dialect.selectNow(), OffsetDateTime.class);
        if (now == null) {
            throw new IllegalStateException("the database must know the time");
        }
        return now.toInstant();
    }

    // For users

    boolean insert(String handler, String id, byte[] payload, Instant at) {
        try {
            return jdbc.update(dialect.insert(name), handler, id, payload, time(at)) == 1;
        } catch (DuplicateKeyException ex) {
            // Only where a statement that fails leaves the transaction usable.
            return false;
        }
    }

    int insertAll(String handler, List<String> ids, List<byte[]> payloads, List<Instant> times) {
        if (dialect != Dialect.POSTGRESQL) {
            int inserted = 0;
            for (int i = 0; i < ids.size(); i++) {
                inserted += insert(handler, ids.get(i), payloads.get(i), times.get(i)) ? 1 : 0;
            }
            return inserted;
        }
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            rows.add(new Object[] {handler, ids.get(i), payloads.get(i), time(times.get(i))});
        }
        int inserted = 0;
        for (int count : jdbc.batchUpdate(dialect.insert(name), rows)) {
            inserted += count > 0 ? count : 0;
        }
        return inserted;
    }

    boolean delete(String handler, String id) {
        return jdbc.update("delete from " + name + ONE + " and (picked = false or " + HAS_FAILED + ")", handler, id)
                == 1;
    }

    boolean move(String handler, String id, Instant at) {
        return jdbc.update(
                        "update " + name + " set execution_time = ?, version = version + 1" + ONE
                                + " and picked = false",
                        time(at),
                        handler,
                        id)
                == 1;
    }

    boolean retry(String handler, String id, Instant at) {
        return jdbc.update(
                        "update " + name
                                + " set execution_time = ?, version = version + 1, picked = false, failure = null, "
                                + "consecutive_failures = 0" + ONE + " and " + HAS_FAILED,
                        time(at),
                        handler,
                        id)
                == 1;
    }

    Optional<DurableTask> find(String handler, String id) {
        return jdbc.query("select * from " + name + ONE, TaskTable::read, handler, id).stream()
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
        return jdbc.query(
                "select * from " + name + " where task_name = ? and task_instance > ?" + condition
                        + " order by task_instance fetch first " + limit + " rows only",
                TaskTable::read,
                handler,
                afterId == null ? "" : afterId);
    }

    private static DurableTask read(ResultSet row, int number) throws SQLException {
        boolean isPicked = row.getBoolean("picked");
        boolean hasFailed = isPicked && row.getObject("last_heartbeat") == null;
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

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    // For recurring tasks

    /** Makes the row of a recurring task, or gives it another schedule; false if that has to be tried again. */
    boolean plant(String handler, String schedule, Instant first) {
        byte[] text = schedule.getBytes(StandardCharsets.UTF_8);
        if (insert(handler, THE_ONE, text, first)) {
            return true;
        }
        List<byte[]> there = jdbc.queryForList("select task_data from " + name + ONE, byte[].class, handler, THE_ONE);
        if (!there.isEmpty() && Arrays.equals(there.get(0), text)) {
            return true;
        }
        return jdbc.update(
                        "update " + name + " set task_data = ?, execution_time = ?, version = version + 1" + ONE
                                + " and picked = false",
                        text,
                        time(first),
                        handler,
                        THE_ONE)
                == 1;
    }

    /** Deletes recurring tasks that were due before then and that nobody has run. */
    int deleteRecurringBefore(Instant time) {
        return jdbc.update(
                "delete from " + name + " where picked = false and execution_time < ? and task_name like '"
                        + Handler.RECURRING + "%'",
                time(time));
    }

    // For rows of this node

    /** Says that rows are alive, and returns for each whether it is still this node's. */
    boolean[] beat(List<RowKey> rows, Instant now) {
        List<Object[]> parameters = new ArrayList<>();
        for (RowKey row : rows) {
            parameters.add(new Object[] {time(now), row.handler(), row.id(), row.version()});
        }
        int[] updated = jdbc.batchUpdate(
                "update " + name + " set last_heartbeat = ?" + ONE + " and version = ? and picked = true", parameters);
        boolean[] ours = new boolean[updated.length];
        for (int i = 0; i < updated.length; i++) {
            ours[i] = updated[i] != 0;
        }
        return ours;
    }

    /** Lets others claim what has shown no life since then; returns how many rows that were. */
    int freeDead(Instant since) {
        return jdbc.update(
                "update " + name + " set picked = false, picked_by = null, last_heartbeat = null, version = version + 1"
                        + " where picked = true and last_heartbeat <= ?",
                time(since));
    }

    /** Keeps a row that has failed for good; false if it is not this node's any more. */
    boolean giveUp(RowKey row, int failures, Instant now, String failure) {
        return jdbc.update(
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
        return jdbc.update(
                        "update " + name
                                + " set picked = false, picked_by = null, last_heartbeat = null, execution_time = ?, "
                                + "consecutive_failures = ?, last_failure = ?, version = version + 1" + ONE
                                + " and version = ?",
                        time(at),
                        failures,
                        failedAt == null ? null : time(failedAt),
                        row.handler(),
                        row.id(),
                        row.version())
                == 1;
    }

    /** Deletes a row that has run; false if it is not this node's any more. */
    boolean done(RowKey row) {
        return jdbc.update("delete from " + name + ONE + " and version = ?", row.handler(), row.id(), row.version())
                == 1;
    }

    private static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
