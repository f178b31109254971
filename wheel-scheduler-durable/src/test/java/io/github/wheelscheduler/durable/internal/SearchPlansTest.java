package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.internal.TestDatabase.RecordingDataSource;
import io.github.wheelscheduler.durable.internal.operator.FoundTasks;
import io.github.wheelscheduler.durable.internal.operator.HandlerCounts;
import io.github.wheelscheduler.durable.internal.operator.RowFilter;
import io.github.wheelscheduler.durable.internal.operator.RowSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Statements of a search read ranges of indexes, however many rows there are: the databases say so. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB"})
@Tag("full")
class SearchPlansTest {

    /** {@code -Dwheel.test.rows=5000000} for more. */
    private static final int ROWS = Integer.getInteger("wheel.test.rows", 300_000);

    private final TestDatabase database;
    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;

    SearchPlansTest(TestDatabase database) {
        this.database = database;
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    /** Of each ten rows nine wait and one has failed; the one that is looked for is the last. */
    private void fill() {
        boolean isPostgresql = database == TestDatabase.POSTGRESQL;
        int ignored =
                jdbc.update("insert into wheel_durable_task (task_name, task_instance, execution_time, state, failure)"
                        + " select concat('handler', n % 5), concat('id-', n), "
                        + (isPostgresql
                                ? "current_timestamp + n * interval '1 second'"
                                : "utc_timestamp(6) + interval n second")
                        + ", case when n % 10 = 0 then 2 else 0 end, case when n % 10 = 0 then 'no paper' end from "
                        + (isPostgresql
                                ? "generate_series(1, " + ROWS + ") n"
                                : "(select seq as n from seq_1_to_" + ROWS + ") n"));
        jdbc.execute(isPostgresql ? "analyze wheel_durable_task" : "analyze table wheel_durable_task");
    }

    @Test
    void searchReadsRangesOfIndexes() {
        RecordingDataSource recording = new RecordingDataSource(dataSource);
        try (Node node = new Node("a", recording)) {
            RowSearch search = new RowSearch(node.engine.database.tables());
            fill();
            String last = "id-" + ROWS;
            List<RowFilter> filters = List.of(
                    RowFilter.of(null, null, last, null, List.of()),
                    RowFilter.of("handler0", null, null, null, List.of()),
                    RowFilter.of("handler0", State.FAILED, null, null, List.of()),
                    RowFilter.of(null, State.SCHEDULED, null, null, List.of()),
                    RowFilter.of(null, State.CLAIMED, null, null, List.of()),
                    RowFilter.of(null, State.FAILED, null, null, List.of("ink")),
                    RowFilter.of(null, State.SCHEDULED, null, last, List.of()));
            recording.statements.clear();
            recording.parameters.clear();
            for (RowFilter filter : filters) {
                FoundTasks first = search.find(filter, null, 50);
                FoundTasks ignored = search.find(filter, first.after(), 50);
                if (filter.state() != State.CLAIMED) {
                    FoundTasks.Count unused = search.count(filter, first.after());
                }
            }
            assertThat(search.find(filters.get(0), null, 50).tasks()).hasSize(1);
            HandlerCounts.All counts = new HandlerCounts(node.engine.node).all();
            assertThat(counts.handlers()).hasSize(5);
            assertThat(node.engine.database.tables().recurring().page("", 50)).isEmpty();
            explain(List.copyOf(recording.statements), List.copyOf(recording.parameters));
        }
    }

    private void explain(List<String> statements, List<Object> parameters) {
        List<String> whole = new ArrayList<>();
        int next = 0;
        int explained = 0;
        for (String statement : statements) {
            int count = (int) statement.chars().filter(c -> c == '?').count();
            Object[] own = parameters
                    .subList(next, Math.min(parameters.size(), next + count))
                    .toArray();
            next += count;
            if (!statement.startsWith("select") && !statement.startsWith("with")) {
                continue;
            }
            if (!statement.contains("wheel_durable_task ")) {
                continue;
            }
            explained++;
            for (Map<String, Object> line : jdbc.queryForList("explain " + statement, own)) {
                if (readsAll(line)) {
                    whole.add(statement + ": " + line);
                }
            }
        }
        assertThat(explained).isGreaterThan(20);
        assertThat(whole).isEmpty();
    }

    private boolean readsAll(Map<String, Object> line) {
        if (database == TestDatabase.POSTGRESQL) {
            return String.valueOf(line.values()).contains("Seq Scan on wheel_durable_task ");
        }
        String table = String.valueOf(line.get("table"));
        Object rows = Objects.requireNonNullElse(line.get("rows"), 0);
        // A scan of an index for its names reads few rows; a scan of a derived table reads what a limit has left.
        return List.of("t", "wheel_durable_task").contains(table)
                && List.of("ALL", "index").contains(String.valueOf(line.get("type")))
                && Long.parseLong(String.valueOf(rows)) > RowSearch.MOST_READ + 1;
    }
}
