package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.testing.Timed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** All that a node had claimed is taken over when it is dead. */
@Timed
class DeadNodeTest {

    private static final int ROWS = 1_600;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @EnumSource
    void rowsOfADeadNodeAreTakenOverOnceEach(TestDatabase database) {
        try (HikariDataSource dataSource = database.newDataSource();
                Node first = node("a", dataSource);
                Node second = node("b", dataSource)) {
            killWithAllClaimed(dataSource);
            long startNanos = System.nanoTime();
            first.start();
            if (database != TestDatabase.H2) {
                // That is for one node.
                second.start();
            }
            await().atMost(PATIENCE).until(() -> takenOver(first) + takenOver(second) == ROWS);
            DurableSettings settings = first.engine.settings();
            // They were claimed just now, and what a loaded machine needs is added.
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
                    .isLessThan(settings.deadAfter()
                            .plus(settings.heartbeat().multipliedBy(2))
                            .plusSeconds(10));
            await().atMost(PATIENCE).until(() -> ran.size() >= ROWS);
            await().atMost(PATIENCE)
                    .until(() -> first.engine.list("note", null, null, 1).isEmpty());
            assertThat(ran).hasSize(ROWS).doesNotHaveDuplicates();
            assertThat(first.engine.counts().lost() + second.engine.counts().lost())
                    .isZero();
            assertThat(takenOver(first) + takenOver(second)).isEqualTo(ROWS);
            assertThat(new JdbcTemplate(dataSource)
                            .queryForObject(
                                    "select sum(full_looks) from " + TaskTable.DEFAULT_NAME + "_node", Long.class))
                    .as("asked for, as what was freed had been due long ago")
                    .isPositive();
        }
    }

    private Node node(String name, HikariDataSource dataSource) {
        return new Node(name, dataSource).handle("note", String.class, ran::add);
    }

    private static long takenOver(Node node) {
        return node.engine.counts().takenOver();
    }

    /** As another node leaves it that had claimed all of it, and is heard of no more. */
    private static void killWithAllClaimed(HikariDataSource dataSource) {
        try (Node node = node(dataSource)) {
            List<DurableRequest> requests = new ArrayList<>();
            Instant due = Instant.now();
            IntStream.range(0, ROWS).forEach(i -> requests.add(new DurableRequest("t" + i, "p" + i, due)));
            assertThat(node.engine.scheduleAll("note", requests)).isEqualTo(ROWS);
        }
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        assertThat(jdbc.update("update " + TaskTable.DEFAULT_NAME + " set state = 1, owner = 7"))
                .isEqualTo(ROWS);
        assertThat(jdbc.update("insert into " + TaskTable.DEFAULT_NAME
                        + "_node (incarnation, name, state, beat, beat_at) values (7, 'dead', 0, 1, "
                        + "current_timestamp)"))
                .isEqualTo(1);
    }

    private static Node node(HikariDataSource dataSource) {
        return new Node("scheduling", dataSource);
    }
}
