package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEnd.Kind;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableTasks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Listeners and observers that are beans stand beside the meters. */
class DurableListenersTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class,
                    DurableMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    static class Files {
        @DurableHandler(
                value = "read",
                maxRetries = 1,
                backOff = "10ms",
                retryFor = FileNotFoundException.class,
                noRetryFor = IOException.class)
        void read(String what) throws IOException {
            if ("missing".equals(what)) {
                throw new FileNotFoundException(what);
            }
            if ("broken".equals(what)) {
                throw new IOException(what);
            }
        }
    }

    /** One that needs what schedules tasks, as it schedules another one when one is given up. */
    static class Compensation implements DurableListener {
        private final DurableTasks tasks;
        private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();

        Compensation(DurableTasks tasks) {
            this.tasks = tasks;
        }

        @Override
        public void ended(DurableEnd end) {
            ends.add(end);
            if (end.kind() == Kind.GIVEN_UP) {
                assertThat(tasks.schedule("read", "after " + end.id(), "well", Instant.now()))
                        .isTrue();
            }
        }
    }

    static class Throwing implements DurableListener, DurableObserver {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public void ended(DurableEnd end) {
            calls.incrementAndGet();
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void ended(String handler, Duration length, boolean succeeded) {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    void listenersAndObserversStandBesideTheMeters() {
        AtomicInteger observed = new AtomicInteger();
        runner.withUserConfiguration(Files.class, Throwing.class, Compensation.class)
                .withBean("other", DurableObserver.class, () -> new DurableObserver() {
                    @Override
                    public void ended(String handler, Duration length, boolean succeeded) {
                        observed.incrementAndGet();
                    }
                })
                .run(context -> {
                    DurableTasks tasks = context.getBean(DurableTasks.class);
                    assertThat(tasks.schedule("read", "1", "broken", Instant.now()))
                            .isTrue();
                    Queue<DurableEnd> ends = context.getBean(Compensation.class).ends;
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(ends)
                                    .extracting(end -> end.kind() + " " + end.id() + " " + end.attempt())
                                    .containsExactly("GIVEN_UP 1 1", "DONE after 1 1"));
                    await().atMost(PATIENCE)
                            .until(() -> context.getBean(Throwing.class).calls.get() == 2);
                    assertThat(observed).hasValue(2);
                    assertThat(context.getBean(SimpleMeterRegistry.class)
                                    .get("wheel.scheduler.durable.run")
                                    .tag("outcome", "ERROR")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void nearestClassOfTheAnnotationDecides() {
        runner.withUserConfiguration(Files.class, Compensation.class).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            assertThat(tasks.schedule("read", "1", "missing", Instant.now())).isTrue();
            Queue<DurableEnd> ends = context.getBean(Compensation.class).ends;
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(ends)
                            .extracting(end -> end.kind() + " " + end.id() + " " + end.attempt())
                            .containsExactly("RETRIED 1 1", "GIVEN_UP 1 2", "DONE after 1 1"));
        });
    }
}
