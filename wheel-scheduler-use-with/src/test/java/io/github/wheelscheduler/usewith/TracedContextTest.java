package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The context of the log has the ids of a run inside of the run, and nothing afterwards: of runs of durable tasks, and
 * of runs that end on another thread.
 */
class TracedContextTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Logged NOTHING = new Logged(null, null);

    private final List<TracedApplication> open = new ArrayList<>();
    private final FailureLog log = new FailureLog();
    private final ExecutorService elsewhere = Executors.newSingleThreadExecutor();

    /** What the context of the log says. */
    private record Logged(
            @Nullable String traceId, @Nullable String spanId) {

        static Logged now() {
            return new Logged(MDC.get("traceId"), MDC.get("spanId"));
        }

        static Logged of(Exported span) {
            return new Logged(span.traceId(), span.spanId());
        }
    }

    /** Notes that while a failure of a run is logged. */
    private static final class FailureLog extends Handler {

        private static final Logger ROOT = Logger.getLogger("");

        private final List<Logged> lines = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord line) {
            if (line.getThrown() instanceof IllegalStateException
                    || String.valueOf(line.getMessage()).contains("on purpose")) {
                lines.add(Logged.now());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        FailureLog.ROOT.addHandler(log);
    }

    @AfterEach
    void close() {
        FailureLog.ROOT.removeHandler(log);
        open.forEach(TracedApplication::close);
        List<Runnable> ignored = elsewhere.shutdownNow();
        Hooks.disableAutomaticContextPropagation();
    }

    private TracedApplication opened(TracedApplication started) {
        open.add(started);
        return started;
    }

    // Durable tasks

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        private final List<Logged> seen = new CopyOnWriteArrayList<>();
        private final List<Logged> ticks = new CopyOnWriteArrayList<>();
        private final List<Logged> afterwards = new CopyOnWriteArrayList<>();
        private final List<Logged> ends = new CopyOnWriteArrayList<>();

        @DurableHandler(value = "flaky", maxRetries = 1, backOff = "10ms")
        void flaky(@Nullable String payload) {
            seen.add(Logged.now());
            throw new IllegalStateException("on purpose");
        }

        /** Is not observed, on the only worker. */
        @DurableHandler("left-out")
        void leftOut(@Nullable String payload) {
            afterwards.add(Logged.now());
        }

        @Durable("tick")
        @Scheduled(fixedRate = 1_000_000)
        void tick() {
            ticks.add(Logged.now());
            throw new IllegalStateException("on purpose");
        }

        @Bean
        DurableListener ends() {
            return end -> ends.add(Logged.now());
        }
    }

    private TracedApplication durable(Bridge bridge) {
        return opened(TracedApplication.durable(
                bridge,
                List.of(Handlers.class),
                "database=t" + UUID.randomUUID(),
                "wheel.scheduler.observe=named",
                "wheel.scheduler.durable.max-concurrent=1",
                "wheel.scheduler.durable.handlers.left-out.observe=false"));
    }

    private static List<Logged> spans(TracedApplication in, String key, String value, int count) {
        await().atMost(PATIENCE).until(() -> with(in, key, value).size() >= count);
        List<Logged> spans = with(in, key, value);
        assertThat(spans).hasSize(count).doesNotHaveDuplicates();
        return spans;
    }

    private static List<Logged> with(TracedApplication in, String key, String value) {
        return in.runs().stream()
                .filter(span -> value.equals(span.attributes().get(key)))
                .map(Logged::of)
                .toList();
    }

    private void assertNothingIsLeft(TracedApplication in, Handlers handlers) {
        assertThat(in.bean(DurableTasks.class).schedule("left-out", "after", null, Instant.now()))
                .isTrue();
        await().atMost(PATIENCE).until(() -> !handlers.afterwards.isEmpty());
        assertThat(handlers.afterwards).containsExactly(NOTHING);
    }

    @ParameterizedTest
    @EnumSource
    void durableRunAndLineOfItsFailureHaveItsSpan(Bridge bridge) {
        TracedApplication in = durable(bridge);
        Handlers handlers = in.bean(Handlers.class);
        List<Logged> tick = spans(in, "task.id", "tick", 1);
        await().atMost(PATIENCE).until(() -> log.lines.size() == 1);
        assertThat(handlers.ticks).containsExactlyElementsOf(tick);
        assertThat(log.lines).containsExactlyElementsOf(tick);
        assertNothingIsLeft(in, handlers);

        assertThat(in.bean(DurableTasks.class).schedule("flaky", "a", null, Instant.now()))
                .isTrue();
        List<Logged> flaky = spans(in, "task.id", "a", 2);
        await().atMost(PATIENCE).until(() -> log.lines.size() == 3);
        assertThat(handlers.seen).containsExactlyElementsOf(flaky);
        assertThat(log.lines.subList(1, 3)).containsExactlyElementsOf(flaky);

        handlers.afterwards.clear();
        assertNothingIsLeft(in, handlers);
        // Listeners have a thread of their own, on which no run is.
        await().atMost(PATIENCE).until(() -> handlers.ends.size() >= 4);
        assertThat(handlers.ends).containsOnly(NOTHING);
    }

    // Runs that end on another thread

    @Configuration(proxyBeanMethods = false)
    static class Reactive {

        private final List<Logged> inside = new CopyOnWriteArrayList<>();
        private final List<Sinks.Empty<Void>> sinks = new CopyOnWriteArrayList<>();

        @Scheduled(fixedRate = 1_000_000)
        Mono<Void> reactive() {
            return Mono.defer(() -> {
                inside.add(Logged.now());
                Sinks.Empty<Void> sink = Sinks.empty();
                sinks.add(sink);
                return sink.asMono();
            });
        }
    }

    private static List<Logged> listen(TracedApplication in) {
        List<Logged> told = new CopyOnWriteArrayList<>();
        in.scheduler().getTaskRegistry().addListener(new TaskListener() {
            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.add(Logged.now());
            }
        });
        return told;
    }

    /** Ends a run on another thread, and returns what the context says there then. */
    private Logged elsewhere(Runnable end) throws Exception {
        return elsewhere
                .submit(() -> {
                    end.run();
                    return Logged.now();
                })
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void listenerOfAReactiveEndHasItsSpan(Bridge bridge) throws Exception {
        Hooks.enableAutomaticContextPropagation();
        TracedApplication in =
                opened(new TracedApplication(bridge, List.of(Reactive.class), "wheel.scheduler.observe=annotated"));
        Reactive jobs = in.bean(Reactive.class);
        List<Logged> told = listen(in);
        in.time().runCurrent();
        in.time().advanceBy(Duration.ofSeconds(1_001));
        assertThat(jobs.sinks).hasSize(2);
        assertThat(told).isEmpty();

        Logged after = elsewhere(() -> jobs.sinks.get(0).tryEmitEmpty());
        Logged afterFailure = elsewhere(() -> jobs.sinks.get(1).tryEmitError(new IllegalStateException("on purpose")));

        List<Logged> spans = spans(in, "code.function", "reactive", 2);
        assertThat(told).containsExactlyElementsOf(spans);
        assertThat(jobs.inside).containsExactlyElementsOf(spans);
        assertThat(List.of(after, afterFailure, Logged.now())).containsOnly(NOTHING);
        // Spring logs the failure on a thread where its observation has no scope, so the tracer decides about that
        // line.
        assertThat(log.lines).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void listenerOfASuspendingEndHasItsSpan(Bridge bridge) throws Exception {
        // Compiled after this class.
        Class<?> type = Class.forName(TracedContextTest.class.getPackageName() + ".SuspendingJobs");
        TracedApplication in =
                opened(new TracedApplication(bridge, List.of(type), "wheel.scheduler.observe=annotated"));
        Object jobs = in.bean(type);
        List<Logged> told = listen(in);
        in.time().runCurrent();
        assertThat(told).isEmpty();

        Logged after = elsewhere(() -> resume(type, jobs));

        List<Logged> spans = spans(in, "code.function", "suspending", 1);
        assertThat(told).containsExactlyElementsOf(spans);
        assertThat(List.of(after, Logged.now())).containsOnly(NOTHING);
    }

    private static void resume(Class<?> type, Object jobs) {
        try {
            Object ignored = type.getMethod("letGoOn").invoke(jobs);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
