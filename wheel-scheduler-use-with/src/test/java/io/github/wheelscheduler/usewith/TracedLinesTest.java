package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

/** Lines that another thread than that of the run logs name the trace in their text. */
class TracedLinesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<TracedApplication> open = new ArrayList<>();
    private final Lines lines = new Lines();

    /** Keeps the lines of runs that take long, and says so. */
    private static final class Lines extends Handler {

        private static final Logger ROOT = Logger.getLogger("");

        private final List<String> texts = new CopyOnWriteArrayList<>();
        private final CountDownLatch isLogged = new CountDownLatch(1);

        @Override
        public void publish(LogRecord line) {
            String text = String.valueOf(line.getMessage());
            if (text.contains("has been running for") || text.contains("has run for its time limit")) {
                texts.add(text);
                isLogged.countDown();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        Lines.ROOT.addHandler(lines);
    }

    @AfterEach
    void close() {
        open.forEach(TracedApplication::close);
        Lines.ROOT.removeHandler(lines);
    }

    private TracedApplication application(Bridge bridge, List<Class<?>> beans) {
        TracedApplication started = TracedApplication.durable(
                bridge,
                beans,
                "database=t" + UUID.randomUUID(),
                "wheel.scheduler.observe=all",
                "wheel.scheduler.warn.run=2s");
        open.add(started);
        return started;
    }

    private final List<String> seen = new CopyOnWriteArrayList<>();

    /** A run that goes on until there is a line of it. */
    private void runUntilLogged() {
        seen.add(String.valueOf(MDC.get("traceId")));
        try {
            assertThat(lines.isLogged.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException ex) {
            // A run that has been interrupted has its line by now.
        }
    }

    /** The first observation loads classes, which must not take as long as the limit. */
    private static void warmUp(TracedApplication in) {
        Future<?> first = in.scheduler().schedule(() -> {}, Instant.now());
        Future<?> second =
                in.scheduler().getTaskRegistry().schedule("first", () -> {}, TaskSchedule.once(Instant.now()));
        await().atMost(PATIENCE).until(() -> first.isDone() && second.isDone());
    }

    private void assertLineNamesTheTrace(String words) {
        await().atMost(PATIENCE).until(() -> !lines.texts.isEmpty() && !seen.isEmpty());
        assertThat(seen.get(0)).hasSizeBetween(16, 32);
        assertThat(lines.texts.get(0)).contains(words + seen.get(0));
    }

    @ParameterizedTest
    @EnumSource
    void warningOfALongTimerNamesItsTrace(Bridge bridge) {
        TracedApplication in = application(bridge, List.of());
        warmUp(in);
        Future<?> ignored = in.scheduler().schedule(this::runUntilLogged, Instant.now());
        assertLineNamesTheTrace("in trace ");
    }

    @ParameterizedTest
    @EnumSource
    void warningOfALongTaskWithANameNamesItsTrace(Bridge bridge) {
        TracedApplication in = application(bridge, List.of());
        warmUp(in);
        Future<?> ignored = in.scheduler()
                .getTaskRegistry()
                .schedule("long", this::runUntilLogged, TaskSchedule.fixedRate(Duration.ofDays(1)));
        assertLineNamesTheTrace("in trace ");
    }

    @Configuration(proxyBeanMethods = false)
    static class LongMethod {

        private volatile @Nullable Runnable task;

        @Scheduled(fixedDelay = 10)
        void annotated() {
            Runnable current = task;
            if (current != null) {
                current.run();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void warningOfALongMethodNamesItsTrace(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(LongMethod.class));
        await().atMost(PATIENCE).until(() -> !in.runs().isEmpty());
        in.bean(LongMethod.class).task = this::runUntilLogged;
        assertLineNamesTheTrace("in trace ");
    }

    @Configuration(proxyBeanMethods = false)
    static class LimitedHandler {

        private volatile @Nullable Runnable task;

        @DurableHandler(value = "limited", timeLimit = "50ms", maxRetries = 0)
        void limited(@Nullable String payload) {
            Runnable current = task;
            if (current != null) {
                current.run();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void lineOfADurableTimeLimitNamesItsTrace(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(LimitedHandler.class));
        in.bean(LimitedHandler.class).task = this::runUntilLogged;
        assertThat(in.bean(DurableTasks.class).schedule("limited", "a", null, Instant.now()))
                .isTrue();
        await().atMost(PATIENCE).until(() -> lines.texts.stream().anyMatch(text -> text.contains("time limit")));
        assertThat(lines.texts.stream().filter(text -> text.contains("time limit")))
                .hasSize(1)
                .allSatisfy(text -> assertThat(text).contains("(trace " + seen.get(0) + ")"));
    }
}
