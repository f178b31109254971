package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session or the driver is set to changes nothing. */
class MariaDbSessionTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "useAffectedRows=true",
                "useServerPrepStmts=true&useBulkStmts=true",
                "rewriteBatchedStatements=true&allowMultiQueries=true",
                "sessionVariables=sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT',"
                        + "sql_auto_is_null=1,sql_safe_updates=1",
                "sessionVariables=sql_mode=''",
                "sessionVariables=time_zone='-11:00'&timezone=+05:45&forceConnectionTimeZoneToSession=false",
                "sessionVariables=tx_isolation='SERIALIZABLE'",
                "sessionVariables=character_set_client=utf8mb3,collation_connection=utf8mb3_general_ci"
            })
    void everythingWorks(String setting) {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        AtomicInteger failures = new AtomicInteger();
        try (HikariDataSource dataSource = TestDatabase.dataSource(TestDatabase.MARIADB.newUrl() + "&" + setting);
                Node node = new Node("a", dataSource)) {
            node.handle("note", String.class, ran::add);
            node.handle("failing", String.class, payload -> {
                if (failures.getAndIncrement() < 3) {
                    throw new IllegalStateException("on purpose");
                }
            });
            Runnable ignored =
                    node.engine.repeat("r", RecurringTable.parse("fixed-rate PT0.2S"), false, () -> ran.add("r"));
            node.start();
            Instant at = Instant.now().plusSeconds(3_600).plusNanos(1);
            assertThat(node.engine.schedule("note", "a\\'\"b", "x\\'\"y", at)).isTrue();
            assertThat(node.engine.schedule("note", "a\\'\"b", "x\\'\"y", at)).isFalse();
            assertThat(node.engine.find("note", "a\\'\"b").orElseThrow().dueAt())
                    .isBetween(at.minusNanos(1_000), at.plusNanos(1_000));
            assertThat(node.engine.reschedule("note", "a\\'\"b", at)).isTrue();
            assertThat(node.engine.reschedule("note", "a\\'\"b", Instant.parse("0001-01-01T00:00:00Z")))
                    .isTrue();
            assertThat(node.engine.scheduleAll(
                            "note",
                            List.of(
                                    new DurableRequest("1", "one", Instant.now()),
                                    new DurableRequest("2", "two", Instant.now()),
                                    new DurableRequest("3", "three", Instant.parse("9999-12-31T00:00:00Z")))))
                    .isEqualTo(3);
            assertThat(node.engine.cancel("note", "3")).isTrue();
            assertThat(node.engine.schedule("failing", "1", null, Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE).until(() -> node.engine.counts().failed() == 3);
            await().atMost(PATIENCE).until(() -> node.engine.retry("failing", "1"));
            await().atMost(PATIENCE)
                    .until(() -> node.engine.find("failing", "1").isEmpty());
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).contains("x\\'\"y", "one", "two", "r"));
            await().atMost(PATIENCE)
                    .until(() -> node.engine.list("note", null, null, 1).isEmpty());
            assertThat(node.engine.recurringTasks().pause("r")).isTrue();
            assertThat(node.engine.recurringTasks().resume("r")).isTrue();
            assertThat(node.engine.counts().lost()).isZero();
            assertThat(node.engine.problem()).isNull();
        }
    }
}
