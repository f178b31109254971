package io.github.wheelscheduler.durable.internal;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a node of layout 1 does to rows, in its statements: it knows no column of a later layout, and reads payloads by
 * the mapper of its application.
 */
final class OlderNode {

    private static final long INCARNATION = 4_711;
    private static final String NEXT = "version % 9223372036854775807 + 1";
    private static final String FREED =
            " state = case when asked_to_end then 5 when paused and regular_time is null then 4"
                    + " else 0 end, owner = null, version = " + NEXT;
    private static final String UNSUSPECTED = "unreadable = null, suspicions = null, marked = null, deaths = null";
    private static final String ONE = " where task_name = ? and task_instance = ?";

    final List<Object> ran = new ArrayList<>();

    private final JdbcTemplate jdbc;
    private final JsonMapper mapper;
    private final String now;

    OlderNode(TestDatabase database, DataSource dataSource, JsonMapper mapper) {
        this.jdbc = new JdbcTemplate(dataSource);
        this.mapper = mapper;
        this.now = database == TestDatabase.MARIADB ? "utc_timestamp(6)" : "current_timestamp";
    }

    /** Makes the tables that its release makes. */
    static void makeTables(TestDatabase database, DataSource dataSource) {
        String script = "layout-1-" + database.name().toLowerCase(Locale.ROOT) + ".sql";
        new ResourceDatabasePopulator(new ClassPathResource(script, OlderNode.class)).execute(dataSource);
    }

    void insert(String handler, String id, Object payload) {
        int ignored = jdbc.update(
                "insert into wheel_durable_task (task_name, task_instance, task_data, version, execution_time)"
                        + " values (?, ?, ?, ?, " + now + ")",
                handler,
                id,
                mapper.writeValueAsBytes(payload),
                1);
    }

    boolean replace(String handler, String id, Object payload) {
        return jdbc.update(
                        "update wheel_durable_task set task_data = ?, execution_time = " + now
                                + ", first_time = null, failure = null, next_time = null, next_data = null,"
                                + " consecutive_failures = 0, " + UNSUSPECTED
                                + ", asked_to_end = null, state = 0, owner = null, version = " + NEXT + ONE
                                + " and state <> 1",
                        mapper.writeValueAsBytes(payload),
                        handler,
                        id)
                == 1;
    }

    /** Claims what is due of a name, reads it, and ends it, or sets it aside until now; returns how many there were. */
    int runDue(String handler, Type type) {
        List<String> ids = jdbc.queryForList(
                "select task_instance from wheel_durable_task where state = 0 and task_name = ? and execution_time <= "
                        + now,
                String.class,
                handler);
        ids.forEach(id -> run(handler, id, type));
        return ids.size();
    }

    private void run(String handler, String id, Type type) {
        int ignored = jdbc.update(
                "update wheel_durable_task set state = 1, owner = ?, version = " + NEXT + ONE,
                INCARNATION,
                handler,
                id);
        byte[] payload =
                jdbc.queryForObject("select task_data from wheel_durable_task" + ONE, byte[].class, handler, id);
        try {
            ran.add(mapper.readValue(payload, mapper.constructType(type)));
            end(handler, id);
        } catch (JacksonException ex) {
            ignored = jdbc.update(
                    "update wheel_durable_task set first_time = coalesce(first_time, execution_time), execution_time = "
                            + now + ", unreadable = 1, last_failure = " + now + ", failure = ?, marked = null,"
                            + " state = case when asked_to_end then 5 else 3 end, owner = null, version = " + NEXT
                            + ONE,
                    "payload is no JSON of " + type.getTypeName(),
                    handler,
                    id);
        }
    }

    /** Ends a row that it has: it goes, or waits for what its run has scheduled. */
    void end(String handler, String id) {
        int deleted = jdbc.update("delete from wheel_durable_task" + ONE + " and next_time is null", handler, id);
        if (deleted == 0) {
            int ignored = jdbc.update(
                    "update wheel_durable_task set task_data = next_data, execution_time = next_time, first_time = "
                            + "null, next_time = null, next_data = null, consecutive_failures = 0, failure = null, "
                            + UNSUSPECTED + "," + FREED + ONE,
                    handler,
                    id);
        }
    }

    /** Lets all be claimed that nodes have, as if these had died. */
    void freeAll() {
        int ignored = jdbc.update("update wheel_durable_task set marked = null," + FREED + " where owner is not null");
    }

    /** Deletes what has ended, and one-time tasks that have failed for good, however short a time ago. */
    void tidy() {
        int ignored = jdbc.update("delete from wheel_durable_task where state = 5 and task_name <> 'recurring:'");
        ignored = jdbc.update("delete from wheel_durable_task where state = 2 and task_name <> 'recurring:'");
    }

    /** Deletes the recurring tasks that no node knows. */
    void forget() {
        int ignored = jdbc.update("delete from wheel_durable_task where task_name = 'recurring:' and state <> 1"
                + " and paused = false and schedule is null and regular_time is null");
    }

    byte[] payload(String handler, String id) {
        return jdbc.queryForObject("select task_data from wheel_durable_task" + ONE, byte[].class, handler, id);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
