package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.internal.operator.Batches;
import io.github.wheelscheduler.durable.internal.operator.FoundTasks;
import io.github.wheelscheduler.durable.internal.operator.HandlerCounts;
import io.github.wheelscheduler.durable.internal.operator.RowFilter;
import io.github.wheelscheduler.durable.internal.operator.RowSearch;
import io.github.wheelscheduler.durable.internal.operator.TaskDetails;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What operators find among tasks of all handlers, page by page, and do to all of it. */
@ParameterizedClass
@EnumSource
class RowSearchTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Instant DUE = Instant.parse("2030-01-01T00:00:00Z");

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final Node node;
    private RowSearch search;

    RowSearchTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
        node = new Node("a", dataSource);
        search = new RowSearch(node.engine.database.tables());
    }

    @BeforeEach
    void look() {
        assertThat(search.find(filter(null, null), null, 10).tasks()).isEmpty();
    }

    @AfterEach
    void close() {
        node.close();
        dataSource.close();
    }

    private static RowFilter filter(@Nullable String handler, @Nullable State state) {
        return RowFilter.of(handler, state, null, null, List.of());
    }

    private static RowFilter id(String id) {
        return RowFilter.of(null, null, id, null, List.of());
    }

    private static RowFilter prefix(@Nullable String handler, @Nullable State state, String prefix) {
        return RowFilter.of(handler, state, null, prefix, List.of());
    }

    private static RowFilter words(@Nullable String handler, String... words) {
        return RowFilter.of(handler, null, null, null, List.of(words));
    }

    private void schedule(String handler, String... ids) {
        for (int i = 0; i < ids.length; i++) {
            assertThat(node.engine.schedule(handler, ids[i], "secret", DUE.plusSeconds(i)))
                    .isTrue();
        }
    }

    /** Makes rows at once, each a second after the one before. */
    private void insert(String handler, String prefix, int count, int state, @Nullable String failure) {
        List<Object[]> rows = IntStream.range(0, count)
                .mapToObj(i -> new Object[] {
                    handler, "%s%05d".formatted(prefix, i), time(DUE.plusSeconds(i)), state, failure, time(DUE)
                })
                .toList();
        int[] ignored = jdbc.batchUpdate(
                "insert into wheel_durable_task (task_name, task_instance, execution_time, state, failure, "
                        + "last_failure) values (?, ?, ?, ?, ?, ?)",
                rows);
    }

    private Object time(Instant at) {
        return Objects.requireNonNull(node.engine.database.knownDialect()).time(at);
    }

    private List<String> all(RowFilter filter, int limit) {
        List<String> found = new ArrayList<>();
        String after = null;
        do {
            FoundTasks page = search.find(filter, after, limit);
            page.tasks().forEach(task -> found.add(task.handler() + "/" + task.id()));
            after = page.after();
        } while (after != null);
        return found;
    }

    @Test
    void idIsFoundAmongAllHandlers() {
        schedule("mail", "7", "70", "8");
        schedule("print", "7");
        insert("fax", "7", 1, RowState.FAILED, "no paper");
        insert("fax", "", 1, RowState.ENDED, null);
        assertThat(all(id("7"), 10)).containsExactly("mail/7", "print/7");
        assertThat(all(id("7"), 1)).containsExactly("mail/7", "print/7");
        assertThat(all(id("700000"), 10)).containsExactly("fax/700000");
        assertThat(all(id("00000"), 10)).isEmpty();
        assertThat(all(RowFilter.of("print", State.SCHEDULED, "7", null, List.of()), 10))
                .containsExactly("print/7");
        assertThat(all(RowFilter.of("print", State.FAILED, "7", null, List.of()), 10))
                .isEmpty();
    }

    @Test
    void idIsFoundAmongMoreHandlersThanAreSearched() {
        for (int i = 0; i < RowSearch.MOST_HANDLERS + 5; i++) {
            schedule("h%03d".formatted(i), "7");
        }
        FoundTasks first = search.find(id("7"), null, 500);
        assertThat(first.tasks()).hasSize(RowSearch.MOST_HANDLERS);
        assertThat(first.isCut()).isTrue();
        assertThat(all(id("7"), 500)).hasSize(RowSearch.MOST_HANDLERS + 5).doesNotHaveDuplicates();
        assertThat(all(filter(null, State.SCHEDULED), 30))
                .hasSize(RowSearch.MOST_HANDLERS + 5)
                .doesNotHaveDuplicates();
        assertThat(new HandlerCounts(node.engine.node).all().isCut()).isTrue();
    }

    @Test
    void prefixIsTakenAsItIs() {
        schedule("mail", "a%1", "a%2", "ab1", "a!1", "A%1", "a_1", "ü-1");
        assertThat(all(prefix(null, null, "a%"), 1)).containsExactly("mail/a%1", "mail/a%2");
        assertThat(all(prefix("mail", null, "a!"), 10)).containsExactly("mail/a!1");
        assertThat(all(prefix("mail", State.SCHEDULED, "a_"), 10)).containsExactly("mail/a_1");
        assertThat(all(prefix("mail", State.FAILED, "a"), 10)).isEmpty();
        assertThat(all(prefix(null, null, "ü"), 10)).containsExactly("mail/ü-1");
    }

    @Test
    void pagesHaveEachTaskOnce() {
        insert("mail", "m", 25, RowState.WAITING, null);
        insert("print", "p", 25, RowState.WAITING, null);
        insert("print", "f", 3, RowState.FAILED, "no paper");
        jdbc.update("update wheel_durable_task set execution_time = ?", time(DUE));
        for (RowFilter filter : List.of(filter(null, State.SCHEDULED), filter(null, null), filter("print", null))) {
            List<String> all = all(filter, 500);
            assertThat(all).hasSizeGreaterThan(24);
            for (int limit : new int[] {1, 7, 25}) {
                assertThat(all(filter, limit)).as("%s by %s", filter, limit).containsExactlyElementsOf(all);
            }
        }
        assertThat(all(filter("print", State.FAILED), 2))
                .containsExactly("print/f00000", "print/f00001", "print/f00002");
        assertThat(search.count(filter(null, State.SCHEDULED), null)).isEqualTo(new FoundTasks.Count(50, false));
        assertThat(search.count(prefix(null, null, "f"), null)).isEqualTo(new FoundTasks.Count(3, false));
    }

    @Test
    void searchReadsSoManyRowsAndSaysWhereItGoesOn() {
        insert("mail", "m", RowSearch.MOST_READ + 100, RowState.WAITING, null);
        insert("mail", "z", 1, RowState.WAITING, null);
        // Among tasks of a state, ids are in no order.
        FoundTasks first = search.find(
                new RowFilter("mail", State.SCHEDULED, null, null, List.of(), null, null, DUE.plusSeconds(1)),
                null,
                500);
        assertThat(first.tasks()).hasSize(500);
        RowFilter last = new RowFilter("mail", null, null, null, List.of(), DUE.minusSeconds(1), null, null);
        jdbc.update("update wheel_durable_task set last_failure = ? where task_instance <> 'z00000'", time(DUE));
        jdbc.update("update wheel_durable_task set last_failure = null where task_instance = 'z00000'");
        FoundTasks none = search.find(last, null, 10);
        assertThat(none.tasks()).isEmpty();
        assertThat(none.isCut()).isTrue();
        FoundTasks second = search.find(last, none.after(), 10);
        assertThat(second.tasks()).extracting(DurableTask::id).containsExactly("z00000");
        assertThat(second.isCut()).isFalse();
        assertThat(search.count(filter("mail", State.SCHEDULED), null))
                .isEqualTo(new FoundTasks.Count(RowSearch.MOST_READ, true));
        assertThat(new HandlerCounts(node.engine.node).all().handlers())
                .singleElement()
                .satisfies(counts -> assertThat(counts.scheduled()).isEqualTo(RowSearch.MOST_READ + 1));
    }

    @Test
    void errorIsFoundAmongTheNewest() {
        insert("mail", "old", 1, RowState.FAILED, "java.lang.IllegalStateException: The OLD printer burns");
        jdbc.update("update wheel_durable_task set execution_time = ?", time(DUE.minusSeconds(1)));
        insert("mail", "m", RowSearch.MOST_READ / 2, RowState.FAILED, "no paper 100%");
        insert("print", "p", RowSearch.MOST_READ / 2 - 1, RowState.FAILED, "x".repeat(499) + "No ink");
        FoundTasks old = search.find(words(null, "old", "BURNS"), null, 10);
        assertThat(old.tasks()).extracting(DurableTask::id).containsExactly("old00000");
        assertThat(old.isCut()).isFalse();
        assertThat(all(words(null, "no ink"), 10)).isEmpty();
        assertThat(all(words("print", "xn"), 500)).hasSize(RowSearch.MOST_READ / 2 - 1);
        assertThat(all(words("mail", "old printer", "100%"), 10)).isEmpty();

        insert("print", "q", 1, RowState.FAILED, "too many");
        FoundTasks cut = search.find(words(null, "burns"), null, 10);
        assertThat(cut.tasks()).isEmpty();
        assertThat(cut.isCut()).isTrue();
        assertThat(all(words("mail", "burns"), 10)).containsExactly("mail/old00000");
    }

    @Test
    void errorsComeNewestFirst() {
        insert("mail", "m", 5, RowState.FAILED, "no paper");
        insert("print", "p", 5, RowState.FAILED, "no paper");
        List<String> all = all(words(null, "paper"), 500);
        assertThat(all.subList(0, 4)).containsExactly("mail/m00004", "print/p00004", "mail/m00003", "print/p00003");
        for (int limit : new int[] {1, 3, 5}) {
            assertThat(all(words(null, "paper"), limit)).containsExactlyElementsOf(all);
        }
        assertThat(search.count(words(null, "paper"), null).matching()).isEqualTo(10);
    }

    @Test
    void requestThatMakesNoSenseIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> search.find(filter(null, null), "nonsense", 1))
                .withMessageContaining(
                        "after must be the after of the previous answer to the same search, was nonsense");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RowFilter.of(null, State.SCHEDULED, null, null, List.of("ink")))
                .withMessageContaining("state must be failed, or left out, for a search in errors, was scheduled");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RowFilter.of(null, null, "1", "2", List.of()))
                .withMessageContaining("id and prefix must not be given together");
        assertThatIllegalArgumentException().isThrownBy(() -> search.find(filter("recurring:", null), null, 1));
    }

    @Test
    void claimedTaskIsKnownToRunOnItsNodeAlone() {
        CountDownLatch end = new CountDownLatch(1);
        Node other = node.handle("hold", String.class, payload -> end.await()).start();
        try {
            assertThat(other.engine.schedule("hold", "1", "x", Duration.ZERO)).isTrue();
            insert("hold", "of-another", 1, RowState.WAITING, null);
            jdbc.update("update wheel_durable_task set state = 1, owner = 4711 where task_instance like 'of-another%'");
            await().atMost(PATIENCE).until(() -> other.engine.counts().running() == 1);
            assertThat(all(filter(null, State.CLAIMED), 1)).containsExactly("hold/1", "hold/of-another00000");
            assertThat(search.find(filter("hold", State.CLAIMED), null, 10).tasks())
                    .extracting(DurableTask::owner)
                    .containsExactly("a", "4711");
            assertThat(other.engine.node.runsHere()).singleElement().satisfies(run -> {
                assertThat(run.handler()).isEqualTo("hold");
                assertThat(run.id()).isEqualTo("1");
                assertThat(run.forNanos()).isPositive();
            });
            assertThat(new HandlerCounts(other.engine.node).all().handlers())
                    .containsExactly(new HandlerCounts.OfHandler("hold", 0, 2, 1, 0, 0, 0, false));
        } finally {
            end.countDown();
        }
    }

    @Test
    void handlersAreCountedByState() {
        Node started = node.handle("mail", String.class, payload -> {}).start();
        schedule("mail", "1", "2");
        schedule("gone", "1");
        insert("mail", "f", 3, RowState.FAILED, "no paper");
        insert("mail", "u", 1, RowState.UNREADABLE, "not read");
        assertThat(started.engine.recurringTasks().schedule("mail", "made", TaskSchedule.cron("0 0 3 1 1 *"), "x"))
                .isNotNull();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(new HandlerCounts(started.engine.node).all())
                        .isEqualTo(new HandlerCounts.All(
                                List.of(
                                        new HandlerCounts.OfHandler("gone", 1, 0, 0, 0, 0, 0, true),
                                        new HandlerCounts.OfHandler("mail", 2, 0, 0, 3, 1, 1, false)),
                                false,
                                false)));
    }

    @Test
    void detailsHaveTheWholeErrorAndNoPayload() {
        schedule("mail", "1");
        String error = "java.lang.IllegalStateException: no paper\n\tat x.Y.z(Y.java:1)\n".repeat(40);
        jdbc.update(
                "update wheel_durable_task set failure = ?, consecutive_failures = 3, earlier_attempts = 4, retries = "
                        + "9, state = 2",
                error);
        TaskDetails details = TaskDetails.ofTask(node.engine.database.tables(), "mail", "1");
        assertThat(details).isNotNull();
        assertThat(details.error()).isEqualTo(error);
        assertThat(details.attempt()).isEqualTo(8);
        assertThat(details.retries()).isEqualTo(9);
        assertThat(details.toString()).doesNotContain("secret");
        TaskDetails.Payload payload = details.payload(node.engine.database.tables(), "1", 100);
        assertThat(payload).isNotNull();
        assertThat(new String(payload.json(), StandardCharsets.UTF_8)).isEqualTo("\"secret\"");
        assertThat(payload.isCut()).isFalse();
        TaskDetails.Payload beginning = details.payload(node.engine.database.tables(), "1", 3);
        assertThat(beginning).isNotNull();
        assertThat(new String(beginning.json(), StandardCharsets.UTF_8)).isEqualTo("\"se");
        assertThat(beginning.isCut()).isTrue();
        assertThat(TaskDetails.ofTask(node.engine.database.tables(), "mail", "2"))
                .isNull();
    }

    @Test
    void allThatHasFailedIsRetriedStepByStep() {
        insert("mail", "m", 1_100, RowState.FAILED, "no paper");
        insert("print", "p", 100, RowState.FAILED, "no ink");
        insert("print", "later", 1, RowState.FAILED, "no ink");
        jdbc.update(
                "update wheel_durable_task set last_failure = ? where task_instance like 'later%'",
                time(Instant.parse("2200-01-01T00:00:00Z")));
        jdbc.update(
                "update wheel_durable_task set last_failure = ? where task_instance not like 'later%'",
                time(Instant.parse("2020-01-01T00:00:00Z")));
        // Each step on a node of its own.
        List<Integer> done = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        String after = null;
        do {
            Batches.Step step = batches().step(Batches.Action.RETRY, filter(null, State.FAILED), null, after);
            done.add(step.done());
            left.add(step.left().matching());
            assertThat(step.gone()).isZero();
            after = step.after();
        } while (after != null);
        assertThat(done).containsExactly(500, 500, 200);
        assertThat(left).containsExactly(700, 200, 0);
        assertThat(all(filter(null, State.FAILED), 500)).containsExactly("print/later00000");
    }

    private Batches batches() {
        return new Batches(node.engine, node.engine.database.tables(), new RowSearch(node.engine.database.tables()));
    }

    @Test
    void stepLeavesOutWhatIsGone() {
        insert("mail", "m", 3, RowState.FAILED, "no paper");
        jdbc.update("update wheel_durable_task set last_failure = ?", time(Instant.parse("2020-01-01T00:00:00Z")));
        RowFilter paper = words("mail", "paper");
        String found = Objects.requireNonNull(search.find(paper, null, 1).after());
        assertThat(node.engine.cancel("mail", "m00001")).isTrue();
        assertThat(search.find(paper, found, 10).tasks())
                .extracting(DurableTask::id)
                .containsExactly("m00000");
        Batches.Step step = batches().step(Batches.Action.CANCEL, paper, null, null);
        assertThat(step.done()).isEqualTo(2);
        assertThat(step.after()).isNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> batches().step(Batches.Action.RETRY, filter("mail", State.SCHEDULED), null, null))
                .withMessageContaining("state must be one of [FAILED, UNREADABLE] for retry, was SCHEDULED");
    }

    @Test
    void tasksAreRescheduledOnceEach() {
        insert("mail", "m", 600, RowState.WAITING, null);
        Instant at = DUE.plusSeconds(550).plusNanos(999);
        String after = null;
        int done = 0;
        int steps = 0;
        do {
            Batches.Step step = batches().step(Batches.Action.RESCHEDULE, filter("mail", State.SCHEDULED), at, after);
            done += step.done();
            after = step.after();
            steps++;
        } while (after != null);
        assertThat(done).isBetween(599, 600);
        assertThat(steps).isEqualTo(2);
        assertThat(jdbc.queryForObject("select count(distinct execution_time) from wheel_durable_task", Integer.class))
                .isEqualTo(1);
    }

    @Test
    void recurringTasksPage() {
        for (int i = 0; i < 30; i++) {
            assertThat(node.engine
                            .recurringTasks()
                            .schedule("mail", "made%02d".formatted(i), TaskSchedule.cron("0 0 3 1 1 *"), "x"))
                    .isNotNull();
        }
        List<String> ids = new ArrayList<>();
        String after = "";
        while (true) {
            var page = node.engine.database.tables().recurring().page(after, 7);
            page.forEach(task -> ids.add(task.id()));
            if (page.size() < 7) {
                break;
            }
            after = page.get(6).id();
        }
        assertThat(ids).hasSize(30).isSorted().doesNotHaveDuplicates();
    }
}
