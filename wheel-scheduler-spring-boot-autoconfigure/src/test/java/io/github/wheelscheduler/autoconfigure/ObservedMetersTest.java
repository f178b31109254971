package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** The meters that observations of runs make, with each setting, beside ours. */
class ObservedMetersTest {

    private static final String OURS = "wheel.scheduler.task.run";
    private static final String SPRINGS = "tasks.scheduled.execution";
    private static final String OBSERVED = "wheel.scheduler.execution";

    private static ApplicationContextRunner measured(String... properties) {
        return withScheduling()
                .withConfiguration(AutoConfigurations.of(
                        WheelRunObservationAutoConfiguration.class,
                        WheelSchedulerMetricsAutoConfiguration.class,
                        MetricsAutoConfiguration.class,
                        ObservationAutoConfiguration.class,
                        ScheduledTasksObservationAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(Held.class)
                .withPropertyValues(properties);
    }

    static final class Held {

        private final CountDownLatch letGo = new CountDownLatch(1);

        @Scheduled(initialDelay = 0)
        void annotated() throws InterruptedException {
            awaitEnd();
        }

        private void awaitEnd() throws InterruptedException {
            assertThat(letGo.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Returns the meters of runs while a named and an annotated one are active, and when they have ended. */
    private static List<String> meters(ApplicationContext context) {
        WheelTaskScheduler scheduler = wheelOf(context);
        Held held = context.getBean(Held.class);
        CountDownLatch begun = new CountDownLatch(1);
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule(
                        "billing",
                        () -> {
                            begun.countDown();
                            try {
                                held.awaitEnd();
                            } catch (InterruptedException ex) {
                                throw new IllegalStateException(ex);
                            }
                        },
                        TaskSchedule.once(Instant.EPOCH));
        awaitThat(() -> assertThat(begun.getCount()).isZero());
        awaitThat(() -> assertThat(scheduler.getActiveCount()).isGreaterThanOrEqualTo(2));
        List<String> during = names(context);
        held.letGo.countDown();
        awaitThat(() -> assertThat(names(context)).contains(SPRINGS));
        awaitThat(() -> assertThat(scheduler.getActiveCount()).isZero());
        return Stream.concat(during.stream(), names(context).stream())
                .distinct()
                .sorted()
                .toList();
    }

    private static List<String> names(ApplicationContext context) {
        return context.getBean(MeterRegistry.class).getMeters().stream()
                .map(meter -> meter.getId().getName())
                .filter(name -> name.startsWith(SPRINGS) || name.startsWith(OBSERVED) || name.equals(OURS))
                .distinct()
                .toList();
    }

    @Test
    void annotatedMakesNoMeterMore() {
        for (String setting : List.of("wheel.scheduler.enabled=true", "wheel.scheduler.observe=annotated")) {
            measured(setting)
                    .run(context -> assertThat(meters(context))
                            .as(setting)
                            .containsExactly(SPRINGS, SPRINGS + ".active", OURS));
        }
    }

    @Test
    void observedRunsHaveATimerAndOneOfActiveRuns() {
        for (String setting : List.of("named", "all")) {
            measured("wheel.scheduler.observe=" + setting)
                    .run(context -> assertThat(meters(context))
                            .as(setting)
                            .containsExactly(SPRINGS, SPRINGS + ".active", OBSERVED, OBSERVED + ".active", OURS));
        }
    }

    @Test
    void metersOfActiveRunsAreLeftOutAsBootIsTold() {
        measured("wheel.scheduler.observe=all", "management.metrics.observations.ignored-meters=long-task-timer")
                .run(context -> assertThat(meters(context)).containsExactly(SPRINGS, OBSERVED, OURS));
    }

    @Test
    void observationThatIsDisabledMakesNoMeter() {
        measured("wheel.scheduler.observe=all", "management.observations.enable.wheel.scheduler.execution=false")
                .run(context -> assertThat(meters(context)).containsExactly(SPRINGS, SPRINGS + ".active", OURS));
    }
}
