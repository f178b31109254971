package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import io.micrometer.tracing.BaggageInScope;
import io.micrometer.tracing.Tracer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** The limits of what is observed, and of what a span has. */
class TracedEdgesTest {

    private static final int KEYS = 150;
    private static final int MOST_LINKS = 128;

    private final List<TracedApplication> open = new ArrayList<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private TracedApplication application(Bridge bridge, List<Class<?>> beans, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("wheel.scheduler.observe=all");
        TracedApplication started = new TracedApplication(bridge, beans, all.toArray(String[]::new));
        open.add(started);
        return started;
    }

    @AfterEach
    void close() {
        open.forEach(TracedApplication::close);
    }

    @Configuration(proxyBeanMethods = false)
    static class Registered implements SchedulingConfigurer {

        private final List<String> ran = new CopyOnWriteArrayList<>();

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedRateTask(() -> ran.add("registered"), Duration.ofDays(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void executedAndRegisteredTasksHaveNoSpan(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(Registered.class));
        in.request(() -> {
            in.scheduler().execute(() -> seen.add("executed"));
            Future<?> ignored = in.scheduler().submit(() -> seen.add("submitted"));
        });
        in.time().runCurrent();
        assertThat(seen).containsExactlyInAnyOrder("executed", "submitted");
        assertThat(in.bean(Registered.class).ran).containsExactly("registered");
        assertThat(in.runs()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void latenessIsThatOfRunsThatAreDueBySchedule(Bridge bridge) {
        TracedApplication in = application(bridge, List.of());
        TaskRegistry registry = in.scheduler().getTaskRegistry();
        Future<?> ignored = in.scheduler().schedule(() -> {}, in.time().now());
        ignored = registry.schedule("repeats", () -> {}, TaskSchedule.fixedRate(Duration.ofDays(1)));
        in.time().runCurrent();
        registry.trigger("repeats");
        in.time().runCurrent();
        assertThat(in.runs())
                .extracting(span -> span.name() + " " + span.attributes().containsKey("lateness.ms"))
                .containsExactlyInAnyOrder("run task false", "run repeats true", "run repeats false");
    }

    @Configuration(proxyBeanMethods = false)
    static class Batches {

        private final List<Integer> sizes = new CopyOnWriteArrayList<>();

        @Bean
        KeyedTimers<Integer, String> batched(TimerWheel wheel) {
            return KeyedTimers.<Integer, String>batchBuilder(wheel.executor(), KEYS, due -> sizes.add(due.size()))
                    .build();
        }
    }

    @ParameterizedTest
    @EnumSource
    void batchLinksToSoManyCallersAtMost(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(Batches.class));
        @SuppressWarnings("unchecked")
        KeyedTimers<Integer, String> batched = in.bean("batched", KeyedTimers.class);
        for (int i = 0; i < KEYS; i++) {
            int key = i;
            in.request(() ->
                    assertThat(batched.set(key, "value", Duration.ofMinutes(1))).isNull());
        }
        in.forgetSpans();
        in.time().advanceBy(Duration.ofMinutes(1));
        List<Integer> sizes = in.bean(Batches.class).sizes;
        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(KEYS);
        assertThat(sizes).as("batches").anyMatch(size -> size > MOST_LINKS);
        assertThat(in.runs())
                .extracting(span -> span.links().size())
                .containsExactlyInAnyOrderElementsOf(
                        sizes.stream().map(size -> Math.min(size, MOST_LINKS)).toList());
    }

    @ParameterizedTest
    @EnumSource
    void baggageOfTheCallerIsNotCarried(Bridge bridge) {
        TracedApplication in = application(bridge, List.of(), "management.tracing.baggage.remote-fields=user");
        Tracer tracer = in.bean(Tracer.class);
        Runnable task = () -> seen.add(tracer.getAllBaggage().toString());
        in.request(() -> {
            try (BaggageInScope baggage = tracer.createBaggageInScope("user", "a")) {
                assertThat(baggage.get()).isEqualTo("a");
                task.run();
                Future<?> ignored = in.scheduler().schedule(task, in.time().now());
                ignored = in.scheduler().schedule(task, in.time().now().plusSeconds(60));
            }
        });
        in.time().advanceBy(Duration.ofSeconds(61));
        assertThat(in.runs()).extracting(Exported::name).containsExactly("run task", "run task");
        assertThat(seen).hasSize(3);
        assertThat(seen.get(0)).contains("user=a");
        assertThat(seen.subList(1, 3)).allSatisfy(each -> assertThat(each).doesNotContain("user=a"));
    }
}
