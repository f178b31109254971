package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.WheelSchedulerCustomizer;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.TaskDecorator;
import org.springframework.util.ErrorHandler;

/** What is current in and around an observed run, and what a timer keeps of its caller. */
class TracedScopesTest {

    private static final String ALL = "wheel.scheduler.observe=all";

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private TracedApplication application(Bridge bridge, List<Class<?>> beans, String... properties) {
        TracedApplication started = new TracedApplication(bridge, beans, properties);
        open.add(started);
        return started;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private static void ignore(Future<?> future) {
        assertThat(future).isNotNull();
    }

    private static String traceInLog() {
        return String.valueOf(MDC.get("traceId"));
    }

    private static String spanInLog() {
        return String.valueOf(MDC.get("spanId"));
    }

    private static Exported onlyRun(TracedApplication in) {
        assertThat(in.runs()).hasSize(1);
        return in.runs().get(0);
    }

    @Configuration(proxyBeanMethods = false)
    static class SpanAroundTasks {

        /** What a decorator has had current before and after the task. */
        private final List<String> around = new CopyOnWriteArrayList<>();

        @Bean
        @SuppressWarnings("try") // the scope ends, and is used for nothing else
        TaskDecorator spanOpener(Tracer tracer) {
            return task -> () -> {
                Span span = tracer.nextSpan().name("decorator").start();
                try (Tracer.SpanInScope ignored = tracer.withSpan(span)) {
                    around.add(spanInLog());
                    task.run();
                    around.add(spanInLog());
                } finally {
                    span.end();
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void spanThatIsCurrentIsSetAsideAndBack(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(SpanAroundTasks.class), ALL);
        ignore(in.scheduler().schedule(() -> seen.add(spanInLog()), in.time().now()));
        in.time().runCurrent();
        ignore(in.scheduler()
                .getTaskRegistry()
                .schedule(
                        "named",
                        () -> seen.add(spanInLog()),
                        TaskSchedule.once(in.time().now())));
        in.time().runCurrent();
        List<Exported> runs = in.runs().stream()
                .filter(span -> span.name().startsWith("run "))
                .toList();
        assertThat(runs)
                .hasSize(2)
                .allSatisfy(span -> assertThat(span.parentId()).isEmpty());
        assertThat(seen)
                .containsExactlyElementsOf(runs.stream().map(Exported::spanId).toList());
        List<String> around = in.bean(SpanAroundTasks.class).around;
        assertThat(around).hasSize(4).doesNotContainAnyElementsOf(seen).doesNotContain("null");
        assertThat(around.get(0)).isEqualTo(around.get(1)).isNotEqualTo(around.get(2));
        assertThat(around.get(2)).isEqualTo(around.get(3));
    }

    @ParameterizedTest
    @EnumSource
    void spanOfADecoratorDoesNotLastForARepeatingTask(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(SpanAroundTasks.class), "wheel.scheduler.observe=named");
        Tracer tracer = in.bean(Tracer.class);
        Runnable task = () -> seen.add(String.valueOf(tracer.currentSpan()));
        ignore(in.scheduler().scheduleAtFixedRate(task, Duration.ofSeconds(1)));
        in.time().advanceBy(Duration.ofSeconds(1));
        assertThat(seen).containsExactly("null", "null");
        assertThat(in.bean(SpanAroundTasks.class).around).hasSize(4).doesNotContain("null");
    }

    @ParameterizedTest
    @EnumSource
    void contextOfTheCallerMakesNoSecondSpan(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(), ALL, "spring.task.execution.propagate-context=true");
        assertThat(in.bean(TaskDecorator.class)).isNotNull();
        in.request(() -> {
            ignore(in.scheduler()
                    .schedule(() -> seen.add("once " + traceInLog()), in.time().now()));
            ignore(in.scheduler()
                    .scheduleWithFixedDelay(() -> seen.add("repeat " + traceInLog()), Duration.ofSeconds(10)));
        });
        in.time().advanceBy(Duration.ofSeconds(15));
        Exported request = in.request();
        assertThat(in.runs()).hasSize(3);
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(in.runs().stream()
                        .map(span -> (span.parentId().isEmpty() ? "repeat " : "once ") + span.traceId())
                        .toList());
        assertThat(seen)
                .filteredOn(each -> each.startsWith("repeat"))
                .hasSize(2)
                .doesNotHaveDuplicates()
                .doesNotContain("repeat " + request.traceId());
        assertThat(seen).contains("once " + request.traceId());
    }

    @Configuration(proxyBeanMethods = false)
    static class Failures {

        private final List<String> handled = new CopyOnWriteArrayList<>();

        @Bean
        WheelSchedulerCustomizer errorHandler() {
            ErrorHandler noting = thrown -> handled.add(traceInLog());
            return scheduler -> scheduler.setErrorHandler(noting);
        }
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    @ParameterizedTest
    @EnumSource
    void errorHandlerHasTheTraceOfTheRun(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(Failures.class), ALL);
        ignore(in.scheduler().schedule(TracedScopesTest::fail, in.time().now()));
        ignore(in.scheduler().scheduleAtFixedRate(TracedScopesTest::fail, Duration.ofDays(1)));
        in.time().runCurrent();
        assertThat(in.bean(Failures.class).handled)
                .hasSize(2)
                .containsExactlyInAnyOrderElementsOf(
                        in.runs().stream().map(Exported::traceId).toList());
        assertThat(in.runs()).allSatisfy(span -> assertThat(span.attributes()).containsEntry("outcome", "ERROR"));
    }

    /** Reads the context of the log on the thread that logs. */
    private static final class Lines extends Handler implements AutoCloseable {

        private static final Logger LOGGER = Logger.getLogger("");

        private final List<String> traces = new CopyOnWriteArrayList<>();

        Lines() {
            LOGGER.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getThrown() instanceof IllegalStateException) {
                traces.add(traceInLog());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            LOGGER.removeHandler(this);
        }
    }

    @ParameterizedTest
    @EnumSource
    void logHasTheTraceOfTheRun(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(), ALL);
        try (Lines lines = new Lines()) {
            ignore(in.scheduler().schedule(TracedScopesTest::fail, in.time().now()));
            ignore(in.scheduler().scheduleAtFixedRate(TracedScopesTest::fail, Duration.ofDays(1)));
            in.time().runCurrent();
            assertThat(lines.traces)
                    .hasSize(2)
                    .containsExactlyInAnyOrderElementsOf(
                            in.runs().stream().map(Exported::traceId).toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void taskScheduledInARunBeginsATraceWithOneLinkToIt(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(), ALL);
        ObservationRegistry registry = in.bean(ObservationRegistry.class);
        Runnable last = () -> seen.add("last");
        Runnable second = () -> Observation.createNotStarted("step", registry)
                .observe(() -> ignore(in.scheduler().schedule(last, in.time().now())));
        Runnable first = () -> ignore(in.scheduler()
                .getTaskRegistry()
                .schedule("second", second, TaskSchedule.once(in.time().now())));
        in.request(() -> ignore(in.scheduler().schedule(first, in.time().now().plusSeconds(60))));
        in.time().advanceBy(Duration.ofSeconds(61));
        assertThat(seen).containsExactly("last");
        Exported step = in.runs().stream()
                .filter(span -> span.name().equals("step"))
                .findFirst()
                .orElseThrow();
        List<Exported> runs = in.runs().stream()
                .filter(span -> span != step && !span.equals(step))
                .toList();
        assertThat(runs).extracting(Exported::name).containsExactly("run task", "run second", "run task");
        assertThat(runs).allSatisfy(span -> assertThat(span.parentId()).isEmpty());
        assertThat(runs)
                .extracting(Exported::links)
                .containsExactly(
                        List.of(in.request().link()), List.of(runs.get(0).link()), List.of(step.link()));
        assertThat(step.traceId()).isEqualTo(runs.get(1).traceId());
        assertThat(runs).extracting(Exported::traceId).doesNotHaveDuplicates();
    }

    /** Schedules itself, and looks at what the runs before have exported. */
    private static final class Chain implements Runnable {

        private static final int RUNS = Scale.of(2_000, 20_000, 1_000_000);
        private static final int LOOK_EACH = 1_000;

        private final TracedApplication in;
        private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
        private @Nullable String before;
        private int runs;
        private @Nullable WeakReference<Object> first;
        private @Nullable Throwable failure;

        Chain(TracedApplication in) {
            this.in = in;
        }

        @Override
        public void run() {
            runs++;
            try {
                if (runs == 1) {
                    Observation current = in.bean(ObservationRegistry.class).getCurrentObservation();
                    first = new WeakReference<>(Objects.requireNonNull(current).getContext(), collected);
                }
                if (runs % LOOK_EACH == 0) {
                    look();
                }
                if (runs < RUNS) {
                    ignore(in.scheduler().schedule(this, in.time().now()));
                }
            } catch (Throwable ex) {
                failure = ex;
            }
        }

        private void look() {
            for (Exported run : in.runs()) {
                assertThat(run.parentId()).isEmpty();
                assertThat(run.links()).isEqualTo(before == null ? List.of() : List.of(before));
                before = run.link();
            }
            in.forgetSpans();
        }
    }

    @ParameterizedTest
    @EnumSource
    void taskThatSchedulesItselfMakesNoChain(Bridge bridge) {
        // One run ends before the next one begins.
        TracedApplication in = application(bridge, List.of(), ALL, "spring.task.scheduling.pool.size=1");
        in.time().setMaxRuns(2L * Chain.RUNS);
        Chain chain = new Chain(in);
        ignore(in.scheduler().schedule(chain, in.time().now()));
        in.time().runCurrent();
        assertThat(chain.failure).isNull();
        assertThat(chain.runs).isEqualTo(Chain.RUNS);
        awaitCollected(chain.collected);
        assertThat(Objects.requireNonNull(chain.first).refersTo(null)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void rateMakesNoChainAndKeepsNothing(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(), ALL);
        in.time().setMaxRuns(2L * Chain.RUNS);
        ObservationRegistry registry = in.bean(ObservationRegistry.class);
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        AtomicReference<@Nullable WeakReference<Object>> first = new AtomicReference<>();
        Runnable task = () -> {
            if (first.get() == null) {
                Observation current = registry.getCurrentObservation();
                first.set(new WeakReference<>(Objects.requireNonNull(current).getContext(), collected));
            }
        };
        in.request(() -> ignore(in.scheduler().scheduleAtFixedRate(task, Duration.ofMillis(1))));
        in.time().runCurrent();
        String request = in.request().traceId();
        int runs = 0;
        while (runs < Chain.RUNS) {
            List<Exported> some = in.runs();
            runs += some.size();
            assertThat(some)
                    .isNotEmpty()
                    .allMatch(run -> run.parentId().isEmpty()
                            && run.links().isEmpty()
                            && !run.traceId().equals(request));
            assertThat(some.stream().map(Exported::traceId).distinct()).hasSameSizeAs(some);
            in.forgetSpans();
            in.time().advanceBy(Duration.ofSeconds(1));
        }
        awaitCollected(collected);
        assertThat(Objects.requireNonNull(first.get()).refersTo(null)).isTrue();
    }

    private static void awaitCollected(ReferenceQueue<Object> queue) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return queue.poll() != null;
        });
    }

    /** Schedules a timer within a request, whose objects nothing else refers to. */
    private static WeakReference<Object> requestWithATimer(
            TracedApplication in, ReferenceQueue<Object> queue, List<Future<?>> timers) {
        ObservationRegistry registry = in.bean(ObservationRegistry.class);
        Observation request = Observation.createNotStarted("request", registry);
        WeakReference<Object> context = new WeakReference<>(request.getContext(), queue);
        request.observe(() -> {
            timers.add(in.scheduler().schedule(() -> {}, in.time().now().plus(Duration.ofDays(30))));
            timers.add(in.scheduler()
                    .getTaskRegistry()
                    .schedule(
                            "month", () -> {}, TaskSchedule.once(in.time().now().plus(Duration.ofDays(30)))));
        });
        in.forgetSpans();
        return context;
    }

    @ParameterizedTest
    @EnumSource
    void timerKeepsNothingOfItsCallersRequest(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(), ALL);
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        List<Future<?>> timers = new ArrayList<>();
        WeakReference<Object> request = requestWithATimer(in, queue, timers);
        awaitCollected(queue);
        assertThat(request.refersTo(null)).isTrue();
        assertThat(timers)
                .hasSize(2)
                .allSatisfy(timer -> assertThat(timer.isDone()).isFalse());
        in.time().advanceBy(Duration.ofDays(31));
        assertThat(in.runs())
                .hasSize(2)
                .allSatisfy(run -> assertThat(run.links()).hasSize(1));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnHandler {

        @Bean
        @Order(0)
        Own own(Tracer tracer) {
            return new Own(tracer);
        }
    }

    record Own(Tracer tracer) implements TracingObservationHandler<WheelRunContext> {

        @Override
        public Tracer getTracer() {
            return tracer;
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof WheelRunContext;
        }

        @Override
        public void onStart(WheelRunContext context) {
            getTracingContext(context).setSpan(tracer.nextSpan().start());
        }

        @Override
        public void onStop(WheelRunContext context) {
            Span span = getRequiredSpan(context);
            span.name("own");
            endSpan(context, span);
        }
    }

    @Test
    void handlerOfTheApplicationGoesFirst() {
        TracedApplication in = application(Bridge.OPEN_TELEMETRY, List.of(OwnHandler.class), ALL);
        ignore(in.scheduler().schedule(() -> {}, in.time().now()));
        in.time().runCurrent();
        assertThat(onlyRun(in).name()).isEqualTo("own");
    }

    @Configuration(proxyBeanMethods = false)
    static class StatementsInRunsAlone {

        @Bean
        ObservationPredicate noTraceOfAStatementAlone() {
            return (name, context) -> !name.startsWith("jdbc.") || context.getParentObservation() != null;
        }
    }

    @Test
    void statementAloneMakesNoTrace() {
        TracedApplication in = application(Bridge.OPEN_TELEMETRY, List.of(StatementsInRunsAlone.class), ALL);
        ObservationRegistry registry = in.bean(ObservationRegistry.class);
        Runnable statement =
                () -> Observation.createNotStarted("jdbc.query", registry).observe(() -> {});
        statement.run();
        assertThat(in.runs()).isEmpty();
        ignore(in.scheduler().schedule(statement, in.time().now()));
        in.time().runCurrent();
        assertThat(in.runs()).extracting(Exported::name).containsExactly("jdbc.query", "run task");
        assertThat(in.runs().get(0).parentId()).isEqualTo(in.runs().get(1).spanId());
    }

    @Test
    void timeWithinWhichARunIsAChildIsASetting() {
        TracedApplication in =
                application(Bridge.OPEN_TELEMETRY, List.of(), ALL, "wheel.scheduler.trace-child-within=0s");
        in.request(() -> {
            ignore(in.scheduler().schedule(() -> {}, in.time().now()));
            ignore(in.scheduler().schedule(() -> {}, in.time().now().plusMillis(1)));
        });
        in.time().advanceBy(Duration.ofSeconds(1));
        assertThat(in.runs()).extracting(run -> run.links().size()).containsExactly(0, 1);
    }
}
