package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Spans of durable tasks lead to what has scheduled them, whichever node runs them. A class for each bridge. */
abstract class TracedDurableContract {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Long enough for a slow machine to be within, and short enough to wait for. */
    private static final Duration LATER = Duration.ofSeconds(3);

    private final List<TracedApplication> open = new ArrayList<>();
    private final String database = "t" + UUID.randomUUID();
    private final Bridge bridge;

    TracedDurableContract(Bridge bridge) {
        this.bridge = bridge;
    }

    private TracedApplication application(ObservedTasks observe) {
        TracedApplication started = TracedApplication.durable(
                bridge,
                List.of(Handlers.class),
                "database=" + database,
                "wheel.scheduler.observe=" + observe.name().toLowerCase(Locale.ROOT),
                "wheel.scheduler.trace-child-within=2s",
                "wheel.scheduler.durable.handlers.left-out.observe=false",
                "wheel.scheduler.durable.heartbeat=250ms",
                "wheel.scheduler.durable.dead-after=2s",
                "wheel.scheduler.durable.close-limit=1s");
        open.add(started);
        return started;
    }

    @AfterEach
    void close() {
        open.forEach(each -> each.bean(Handlers.class).letGo.countDown());
        open.forEach(TracedApplication::close);
    }

    /** A run as its handler has seen it. */
    private record Seen(
            String id,
            int attempt,
            @Nullable String traceId,
            @Nullable String spanId) {

        static Seen now(DurableRun run) {
            return new Seen(run.id(), run.attempt(), MDC.get("traceId"), MDC.get("spanId"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        private final List<Seen> seen = new CopyOnWriteArrayList<>();
        private final List<String> ticks = new CopyOnWriteArrayList<>();
        private final CountDownLatch held = new CountDownLatch(2);
        private final CountDownLatch letGo = new CountDownLatch(1);

        @Bean
        DataSourceTransactionManager transactionManager(HikariDataSource dataSource) {
            return new Answers(dataSource);
        }

        @DurableHandler("note")
        void note(@Nullable String payload, DurableRun run) {
            seen.add(Seen.now(run));
        }

        @DurableHandler("left-out")
        void leftOut(@Nullable String payload, DurableRun run) {
            seen.add(Seen.now(run));
        }

        @DurableHandler(value = "flaky", maxRetries = 2, backOff = "10ms")
        void flaky(@Nullable String payload, DurableRun run) {
            seen.add(Seen.now(run));
            if (run.attempt() < 3) {
                throw new IllegalStateException("on purpose");
            }
        }

        /** Only on the first node that has it, until the test is over. */
        @DurableHandler("held")
        void held(String key, DurableRun run) throws InterruptedException {
            seen.add(Seen.now(run));
            if (FIRST.add(key)) {
                held.countDown();
                awaitWithoutInterrupt(letGo);
            }
        }

        @DurableHandler(value = "booked", transactional = true, maxRetries = 0)
        void booked(String answer, DurableRun run) {
            Answers.next = answer;
        }

        @Durable("tick")
        @Scheduled(fixedRate = 100_000)
        void tick() {
            ticks.add(String.valueOf(MDC.get("traceId")));
        }
    }

    private static final Set<String> FIRST = ConcurrentHashMap.newKeySet();

    private static void awaitWithoutInterrupt(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ex) {
                // As a run that takes no notice.
            }
        }
    }

    /** Commits as it is told to. */
    private static final class Answers extends DataSourceTransactionManager {

        private static volatile String next = "";

        Answers(HikariDataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            String answer = next;
            next = "";
            if (answer.equals("refused")) {
                throw new IllegalStateException("refused");
            }
            super.doCommit(status);
            if (answer.equals("unanswered")) {
                throw new RecoverableDataAccessException("nobody answers");
            }
        }
    }

    private static List<Seen> seen(TracedApplication in, int count) {
        List<Seen> seen = in.bean(Handlers.class).seen;
        await().atMost(PATIENCE).until(() -> seen.size() >= count);
        assertThat(seen).hasSize(count);
        return seen;
    }

    /** Returns the spans of runs of a handler, as soon as there are so many. */
    private static List<Exported> runs(TracedApplication in, String handler, int count) {
        await().atMost(PATIENCE).until(() -> named(in, "run " + handler).size() >= count);
        List<Exported> runs = named(in, "run " + handler);
        assertThat(runs).hasSize(count).allSatisfy(span -> {
            assertThat(span.kind()).isEqualTo("CONSUMER");
            assertThat(span.attributes())
                    .containsEntry("scheduler", "durable")
                    .containsKeys("task.id", "attempt", "node", "lateness.ms", "trigger", "outcome");
        });
        return runs;
    }

    private static List<Exported> named(TracedApplication in, String name) {
        return in.runs().stream().filter(span -> span.name().equals(name)).toList();
    }

    private static Exported producer(TracedApplication in, String handler) {
        List<Exported> producers = named(in, "schedule " + handler);
        assertThat(producers).hasSize(1);
        Exported producer = producers.get(0);
        assertThat(producer.kind()).isEqualTo("PRODUCER");
        assertThat(producer.traceId()).isEqualTo(in.request().traceId());
        assertThat(producer.parentId()).isEqualTo(in.request().spanId());
        return producer;
    }

    private static void assertRoot(Exported span, String... links) {
        assertThat(span.parentId()).isEmpty();
        assertThat(span.links()).containsExactly(links);
    }

    private static void assertChild(Exported span, Exported parent) {
        assertThat(span.traceId()).isEqualTo(parent.traceId());
        assertThat(span.parentId()).isEqualTo(parent.spanId());
        assertThat(span.links()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void runExportsOneSpanThatNamesItsCaller(ObservedTasks observe) {
        TracedApplication in = application(observe);
        DurableTasks tasks = in.bean(DurableTasks.class);
        assertThat(tasks.schedule("note", "outside", null, Instant.now())).isTrue();
        in.request(() ->
                assertThat(tasks.schedule("note", "now", null, Duration.ZERO)).isTrue());
        Exported ofNow = in.request();
        in.request(() -> assertThat(
                        tasks.schedule("note", "later", null, Instant.now().plus(LATER)))
                .isTrue());
        in.request(() -> assertThat(tasks.schedule("left-out", "left", null, Instant.now()))
                .isTrue());
        List<Seen> seen = seen(in, 4);
        assertThat(in.runs()).noneMatch(span -> span.name().endsWith("left-out"));
        if (observe == ObservedTasks.ANNOTATED) {
            assertThat(seen).allSatisfy(each -> assertThat(each.traceId()).isNull());
            assertThat(in.runs()).noneMatch(span -> span.name().endsWith("note"));
            return;
        }
        List<Exported> runs = runs(in, "note", 3);
        assertThat(runs)
                .allSatisfy(span -> assertThat(seen)
                        .anySatisfy(each -> assertThat(each)
                                .isEqualTo(
                                        new Seen(span.attributes().get("task.id"), 1, span.traceId(), span.spanId()))));
        List<Exported> producers = named(in, "schedule note");
        assertThat(producers)
                .hasSize(2)
                .allSatisfy(span -> assertThat(span.kind()).isEqualTo("PRODUCER"));
        assertThat(producers.get(0).parentId()).isEqualTo(ofNow.spanId());
        assertRoot(of(runs, "outside"));
        assertChild(of(runs, "now"), producers.get(0));
        assertRoot(of(runs, "later"), producers.get(1).link());
        assertThat(runs)
                .allSatisfy(span -> assertThat(span.attributes())
                        .containsEntry("trigger", "SCHEDULE")
                        .containsEntry("outcome", "SUCCESS"));
    }

    private static Exported of(List<Exported> runs, String id) {
        return runs.stream()
                .filter(span -> id.equals(span.attributes().get("task.id")))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void retryLinksToItsOriginAndTheFailedAttempt(ObservedTasks observe) {
        TracedApplication in = application(observe);
        DurableTasks tasks = in.bean(DurableTasks.class);
        in.request(() -> assertThat(tasks.schedule("flaky", "inside", null, Instant.now()))
                .isTrue());
        List<Seen> seen = seen(in, 3);
        assertThat(tasks.schedule("flaky", "outside", null, Instant.now())).isTrue();
        assertThat(seen(in, 6)).extracting(Seen::attempt).containsExactly(1, 2, 3, 1, 2, 3);
        if (observe == ObservedTasks.ANNOTATED) {
            assertThat(seen).allSatisfy(each -> assertThat(each.traceId()).isNull());
            assertThat(in.runs()).noneMatch(span -> span.name().endsWith("flaky"));
            return;
        }
        List<Exported> runs = runs(in, "flaky", 6);
        Exported producer = producer(in, "flaky");
        assertChild(runs.get(0), producer);
        assertRoot(runs.get(1), producer.link(), runs.get(0).link());
        assertRoot(runs.get(2), producer.link(), runs.get(1).link());
        assertRoot(runs.get(3));
        assertRoot(runs.get(4), runs.get(3).link());
        assertRoot(runs.get(5), runs.get(4).link());
        for (int i = 0; i < runs.size(); i++) {
            assertThat(runs.get(i).attributes())
                    .containsEntry("trigger", i % 3 == 0 ? "SCHEDULE" : "RETRY")
                    .containsEntry("outcome", i % 3 == 2 ? "SUCCESS" : "ERROR")
                    .containsEntry("attempt", String.valueOf(i % 3 + 1));
            assertThat(seen.get(i).traceId()).isEqualTo(runs.get(i).traceId());
            assertThat(seen.get(i).spanId()).isEqualTo(runs.get(i).spanId());
        }
        assertThat(runs).extracting(Exported::traceId).doesNotHaveDuplicates();
    }

    @Test
    void scheduleAllIsOneProducer() {
        TracedApplication in = application(ObservedTasks.ALL);
        DurableTasks tasks = in.bean(DurableTasks.class);
        Instant now = Instant.now();
        List<DurableRequest> requests = IntStream.range(0, 3)
                .mapToObj(i -> new DurableRequest("n" + i, null, now))
                .toList();
        in.request(() -> assertThat(tasks.scheduleAll("note", requests)).isEqualTo(3));
        assertThat(tasks.scheduleAll("note", List.of(new DurableRequest("outside", null, now))))
                .isEqualTo(1);
        List<Exported> runs = runs(in, "note", 4);
        Exported producer = producer(in, "note");
        assertThat(producer.attributes()).containsEntry("tasks", "3");
        for (int i = 0; i < 3; i++) {
            assertChild(of(runs, "n" + i), producer);
        }
        assertRoot(of(runs, "outside"));
    }

    @ParameterizedTest
    @EnumSource
    void runOnAnotherNodeAfterAKillNamesItsCaller(ObservedTasks observe) throws InterruptedException {
        TracedApplication first = application(observe);
        DurableTasks tasks = first.bean(DurableTasks.class);
        first.request(() -> assertThat(tasks.schedule("held", "inside", database + 1, Instant.now()))
                .isTrue());
        assertThat(tasks.schedule("held", "outside", database + 2, Instant.now()))
                .isTrue();
        assertThat(first.bean(Handlers.class).held.await(30, TimeUnit.SECONDS)).isTrue();
        TracedApplication second = application(observe);
        List<Runnable> ignored = first.bean(TimerWheel.class).executor().shutdownNow();
        List<Seen> seen = seen(second, 2);
        assertThat(seen).extracting(Seen::attempt).containsOnly(1);
        assertThat(named(first, "run held"))
                .as("attempts that a kill has ended")
                .isEmpty();
        if (observe == ObservedTasks.ANNOTATED) {
            assertThat(seen).allSatisfy(each -> assertThat(each.traceId()).isNull());
            assertThat(second.runs()).noneMatch(span -> span.name().endsWith("held"));
            return;
        }
        List<Exported> runs = runs(second, "held", 2);
        assertChild(of(runs, "inside"), producer(first, "held"));
        assertRoot(of(runs, "outside"));
        assertThat(seen)
                .extracting(Seen::traceId)
                .containsExactlyInAnyOrderElementsOf(
                        runs.stream().map(Exported::traceId).toList());
    }

    @ParameterizedTest
    @EnumSource
    void runOfARecurringTaskIsARoot(ObservedTasks observe) {
        TracedApplication in = application(observe);
        RecurringTasks recurring = in.bean(RecurringTasks.class);
        List<Seen> seen = in.bean(Handlers.class).seen;
        TaskSchedule often = TaskSchedule.fixedRate(Duration.ofMillis(200));
        in.request(() ->
                assertThat(recurring.schedule("note", "made", often, null)).isNotNull());
        await().atMost(PATIENCE).until(() -> seen.size() >= 3);
        assertThat(recurring.retime("made", TaskSchedule.fixedRate(Duration.ofHours(1))))
                .isTrue();
        if (observe == ObservedTasks.ANNOTATED) {
            assertThat(seen).allSatisfy(each -> assertThat(each.traceId()).isNull());
            assertThat(in.runs()).noneMatch(span -> span.name().endsWith("note"));
            return;
        }
        await().atMost(PATIENCE).until(() -> named(in, "run note").size() >= 3);
        assertThat(named(in, "run note")).allSatisfy(TracedDurableContract::assertRoot);
        in.request(() -> await().pollInSameThread().atMost(PATIENCE).until(() -> recurring.trigger("made")));
        await().atMost(PATIENCE).until(() -> byHand(in).size() == 1);
        assertRoot(byHand(in).get(0), in.request().link());
        await().atMost(PATIENCE).until(() -> recurring.trigger("made"));
        await().atMost(PATIENCE).until(() -> byHand(in).size() == 2);
        assertRoot(byHand(in).get(1));
        assertThat(named(in, "run note"))
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("task.id", "made"));
        assertThat(seen)
                .extracting(Seen::traceId)
                .containsExactlyElementsOf(
                        named(in, "run note").stream().map(Exported::traceId).toList());
    }

    private static List<Exported> byHand(TracedApplication in) {
        return named(in, "run note").stream()
                .filter(span -> "BY_HAND".equals(span.attributes().get("trigger")))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void runOfAnAnnotatedRecurringTaskHasSpringsSpan(ObservedTasks observe) {
        TracedApplication in = application(observe);
        RecurringTasks recurring = in.bean(RecurringTasks.class);
        List<String> ticks = in.bean(Handlers.class).ticks;
        await().atMost(PATIENCE).until(() -> !ticks.isEmpty() && spring(in).size() == 1);
        assertRoot(spring(in).get(0));
        assertThat(spring(in).get(0).attributes())
                .containsEntry("task.id", "tick")
                .containsEntry("trigger", "SCHEDULE");
        in.request(() -> await().pollInSameThread().atMost(PATIENCE).until(() -> recurring.trigger("tick")));
        await().atMost(PATIENCE).until(() -> spring(in).size() == 2);
        assertRoot(spring(in).get(1), in.request().link());
        assertThat(spring(in).get(1).attributes()).containsEntry("trigger", "BY_HAND");
        assertThat(ticks)
                .containsExactlyElementsOf(
                        spring(in).stream().map(Exported::traceId).toList());
    }

    private static List<Exported> spring(TracedApplication in) {
        return in.runs().stream()
                .filter(span -> "tick".equals(span.attributes().get("code.function")))
                .toList();
    }

    @Test
    void observationCoversTheCommit() {
        TracedApplication in = application(ObservedTasks.NAMED);
        DurableTasks tasks = in.bean(DurableTasks.class);
        for (String answer : List.of("taken", "refused", "unanswered")) {
            assertThat(tasks.schedule("booked", answer, answer, Instant.now())).isTrue();
            await().atMost(PATIENCE)
                    .until(() -> named(in, "run booked").stream()
                            .anyMatch(span -> answer.equals(span.attributes().get("task.id"))));
        }
        List<Exported> runs = runs(in, "booked", 3);
        assertThat(of(runs, "taken").attributes()).containsEntry("outcome", "SUCCESS");
        assertThat(of(runs, "refused").attributes()).containsEntry("outcome", "ERROR");
        assertThat(of(runs, "unanswered").attributes()).containsEntry("outcome", "UNKNOWN");
    }
}
