package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.UncommittedRuns;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction that sees rows as they were when it began takes no row of others for its own. */
@ParameterizedClass
@EnumSource
class UncommittedRunsTest {

    private static final RetryPolicy RETRIES = new RetryPolicy(2, Duration.ofMinutes(10), Duration.ofHours(1));

    private final VirtualTime time = VirtualTime.create();
    private final List<String> runs = Collections.synchronizedList(new ArrayList<>());
    private final HikariDataSource dataSource;
    private final VirtualNode node;
    private final TransactionTemplate snapshot;

    UncommittedRunsTest(TestDatabase database) {
        dataSource = database.newDataSource();
        node = new VirtualNode(time, "a", dataSource)
                .handle("remind", RETRIES, runs::add)
                .start();
        snapshot = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    @AfterEach
    void close() {
        node.close();
        dataSource.close();
    }

    private record NoScope() implements UncommittedRuns.Scope {

        @Override
        public void flush() {}

        @Override
        public void clear() {}

        @Override
        public boolean isMarked() {
            return false;
        }

        @Override
        public boolean unmark() {
            return true;
        }
    }

    private void schedule(String id) {
        assertThat(node.engine.schedule("remind", id, id, time.now())).isTrue();
    }

    private void elsewhere(String statement) {
        try (Connection connection = dataSource.getConnection();
                Statement other = connection.createStatement()) {
            // A statement that waits for a lock of the transaction would wait for its end.
            other.setQueryTimeout(10);
            assertThat(other.executeUpdate(statement)).isEqualTo(1);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void committedRowThatHasGoneIsLeftAlone() {
        schedule("deleted");
        schedule("changed");
        schedule("same");
        snapshot.executeWithoutResult(status -> {
            status.setRollbackOnly();
            assertThat(new JdbcTemplate(dataSource)
                            .queryForObject("select count(*) from wheel_durable_task", Integer.class))
                    .isEqualTo(3);
            elsewhere("delete from wheel_durable_task where task_instance = 'deleted'");
            elsewhere("update wheel_durable_task set version = version + 1 where task_instance = 'changed'");
            schedule("own");
            UncommittedRuns own = UncommittedRuns.of(node.engine, new NoScope());
            List<DurableEnd> ends = new ArrayList<>();

            assertThat(own.nextDue()).contains(time.now());
            own.runDue(handler -> {}, ends::add);
            assertThat(ends).hasSize(1);

            assertThat(own.nextDue()).isEmpty();
        });
        assertThat(runs).containsExactly("own");
    }

    @Test
    void committedRowThatHasGoneHoldsNoOthersUp() {
        List.of("a", "deleted", "z").forEach(this::schedule);
        snapshot.executeWithoutResult(status -> {
            status.setRollbackOnly();
            assertThat(new JdbcTemplate(dataSource)
                            .queryForObject("select count(*) from wheel_durable_task", Integer.class))
                    .isEqualTo(3);
            elsewhere("delete from wheel_durable_task where task_instance = 'deleted'");

            assertThat(UncommittedRuns.of(node.engine, new NoScope()).nextDue()).isEmpty();

            List.of("b", "deleted", "x")
                    .forEach(id -> elsewhere("insert into wheel_durable_task (task_name, task_instance, execution_time)"
                            + " select 'remind', '" + id + "', execution_time from wheel_durable_task"
                            + " where task_instance = 'a'"));
        });
    }
}
