package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.WheelSchedulerCustomizer;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ErrorHandler;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Runs of annotated methods, reactive ones among them, and runs on virtual threads. */
class TracedAnnotatedTest {

    private final List<TracedApplication> open = new ArrayList<>();

    private TracedApplication application(Bridge bridge, List<Class<?>> beans, String... properties) {
        TracedApplication started = new TracedApplication(bridge, beans, properties);
        open.add(started);
        return started;
    }

    @AfterEach
    void close() {
        open.forEach(TracedApplication::close);
    }

    private static String traceInLog() {
        return String.valueOf(MDC.get("traceId"));
    }

    private static List<Exported> of(TracedApplication in, String method) {
        return in.runs().stream()
                .filter(span -> method.equals(span.attributes().get("code.function")))
                .toList();
    }

    private static String id(TracedApplication in, String method) {
        return in.scheduler().getTaskRegistry().ids().stream()
                .filter(id -> id.endsWith("." + method))
                .findFirst()
                .orElseThrow();
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {

        private final List<String> seen = new CopyOnWriteArrayList<>();
        private final List<String> handled = new CopyOnWriteArrayList<>();
        private final List<String> told = new CopyOnWriteArrayList<>();
        private final List<Sinks.Empty<Void>> sinks = new CopyOnWriteArrayList<>();

        @Scheduled(fixedRate = 30_000)
        void well() {
            seen.add(traceInLog());
        }

        @Scheduled(fixedRate = 30_000)
        void failing() {
            throw new IllegalStateException("on purpose");
        }

        @Scheduled(fixedRate = 1_000_000)
        Mono<Void> reactive() {
            Sinks.Empty<Void> sink = Sinks.empty();
            sinks.add(sink);
            return sink.asMono();
        }

        @Bean
        WheelSchedulerCustomizer errorHandler() {
            ErrorHandler noting = thrown -> handled.add(traceInLog());
            return scheduler -> scheduler.setErrorHandler(noting);
        }

        TaskListener listener() {
            return new TaskListener() {
                @Override
                public void ran(String id, RunOutcome outcome, boolean overran) {
                    if (!outcome.isSuccess()) {
                        told.add(traceInLog());
                    }
                }
            };
        }
    }

    static Stream<Arguments> cells() {
        return Stream.of(Bridge.values())
                .flatMap(bridge -> Stream.of(ObservedTasks.values()).map(observe -> Arguments.of(bridge, observe)));
    }

    private static String observing(ObservedTasks observe) {
        return "wheel.scheduler.observe=" + observe.name().toLowerCase(Locale.ROOT);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void runOfAnAnnotatedMethodHasSpringsSpanAlone(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, List.of(Jobs.class), observing(observe));
        in.time().advanceBy(Duration.ofSeconds(31));
        List<Exported> runs = of(in, "well");
        assertThat(runs).hasSize(2).allSatisfy(span -> {
            assertThat(span.parentId()).isEmpty();
            assertThat(span.links()).isEmpty();
            assertThat(span.attributes())
                    .containsEntry("task.id", id(in, "well"))
                    .containsEntry("trigger", "SCHEDULE")
                    .containsEntry("scheduler", "taskScheduler")
                    .containsKey("lateness.ms");
        });
        assertThat(in.bean(Jobs.class).seen)
                .containsExactlyElementsOf(runs.stream().map(Exported::traceId).toList());
        assertThat(in.runs()).noneMatch(span -> span.name().startsWith("run "));
        assertThat(traceInLog()).isEqualTo("null");
    }

    @ParameterizedTest
    @MethodSource("cells")
    void runByHandLinksToItsCaller(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, List.of(Jobs.class), observing(observe));
        in.time().runCurrent();
        in.forgetSpans();
        TaskRegistry tasks = in.scheduler().getTaskRegistry();
        in.request(() -> tasks.trigger(id(in, "well")));
        in.time().runCurrent();
        Exported request = in.request();
        assertThat(of(in, "well")).hasSize(1).allSatisfy(span -> {
            assertThat(span.parentId()).isEmpty();
            assertThat(span.links()).containsExactly(request.link());
            assertThat(span.traceId()).isNotEqualTo(request.traceId());
            assertThat(span.attributes()).containsEntry("trigger", "BY_HAND").containsEntry("outcome", "SUCCESS");
        });
        tasks.trigger(id(in, "well"));
        in.time().runCurrent();
        assertThat(of(in, "well").get(1).links()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void errorHandlerAndListenerHaveTheTraceOfTheRun(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(Jobs.class), "wheel.scheduler.observe=annotated");
        in.scheduler().getTaskRegistry().addListener(in.bean(Jobs.class).listener());
        in.time().advanceBy(Duration.ofSeconds(31));
        List<String> traces = of(in, "failing").stream().map(Exported::traceId).toList();
        assertThat(traces).hasSize(2).doesNotHaveDuplicates();
        assertThat(in.bean(Jobs.class).handled).containsExactlyElementsOf(traces);
        assertThat(in.bean(Jobs.class).told).containsExactlyElementsOf(traces);
        assertThat(of(in, "failing"))
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("outcome", "ERROR"));
        assertThat(in.scheduler()
                        .getTaskRegistry()
                        .lastError(id(in, "failing"))
                        .orElseThrow()
                        .traceId())
                .isEqualTo(traces.get(1));
        assertThat(traceInLog()).isEqualTo("null");
    }

    @ParameterizedTest
    @MethodSource("cells")
    void spanOfAReactiveRunEndsWithTheRun(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, List.of(Jobs.class), observing(observe));
        in.time().runCurrent();
        in.request(() -> in.scheduler().getTaskRegistry().trigger(id(in, "reactive")));
        in.time().runCurrent();
        List<Sinks.Empty<Void>> sinks = in.bean(Jobs.class).sinks;
        // Spring calls the method once, and subscribes for each run.
        assertThat(sinks).hasSize(1);
        assertThat(of(in, "reactive")).isEmpty();
        sinks.forEach(Sinks.Empty::tryEmitEmpty);
        await().until(() -> of(in, "reactive").size() == 2);
        Exported request = in.request();
        assertThat(of(in, "reactive"))
                .allSatisfy(span -> assertThat(span.parentId()).isEmpty());
        assertThat(of(in, "reactive"))
                .extracting(Exported::links)
                .containsExactlyInAnyOrder(List.of(), List.of(request.link()));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void spanOfASuspendingRunEndsWithTheRun(Bridge bridge, ObservedTasks observe) throws Exception {
        // Compiled after this class.
        Class<?> jobs = Class.forName(TracedAnnotatedTest.class.getPackageName() + ".SuspendingJobs");
        TracedApplication in = application(bridge, List.of(jobs), observing(observe));
        in.time().runCurrent();
        in.request(() -> in.scheduler().getTaskRegistry().trigger(id(in, "suspending")));
        in.time().runCurrent();
        assertThat(of(in, "suspending")).isEmpty();
        Object ignored = jobs.getMethod("letGoOn").invoke(in.bean(jobs));
        await().until(() -> of(in, "suspending").size() == 2);
        Exported request = in.request();
        assertThat(of(in, "suspending"))
                .allSatisfy(span -> assertThat(span.parentId()).isEmpty())
                .extracting(Exported::links)
                .containsExactlyInAnyOrder(List.of(), List.of(request.link()));
    }

    @ParameterizedTest
    @MethodSource("cells")
    @EnabledForJreRange(min = JRE.JAVA_21)
    void runOnAVirtualThreadExportsOneSpan(Bridge bridge, ObservedTasks observe) {
        TracedApplication in =
                application(bridge, List.of(), observing(observe), "spring.threads.virtual.enabled=true");
        List<String> seen = new CopyOnWriteArrayList<>();
        Runnable task = () -> seen.add(Thread.currentThread().getClass().getSimpleName() + " " + traceInLog());
        in.request(() -> {
            Future<?> ignored = in.scheduler().schedule(task, in.time().now().plusSeconds(1));
            ignored = in.scheduler().schedule(task, in.time().now().plusSeconds(60));
        });
        Future<?> unused = in.scheduler().schedule(task, in.time().now().plusSeconds(61));
        in.time().advanceBy(Duration.ofSeconds(62));
        assertThat(seen).hasSize(3).allSatisfy(each -> assertThat(each).startsWith("VirtualThread "));
        if (observe != ObservedTasks.ALL) {
            assertThat(in.runs()).isEmpty();
            return;
        }
        Exported request = in.request();
        assertThat(in.runs()).extracting(Exported::parentId).containsExactly(request.spanId(), "", "");
        assertThat(in.runs())
                .extracting(Exported::links)
                .containsExactly(List.of(), List.of(request.link()), List.of());
        assertThat(seen)
                .containsExactlyElementsOf(in.runs().stream()
                        .map(span -> "VirtualThread " + span.traceId())
                        .toList());
    }
}
