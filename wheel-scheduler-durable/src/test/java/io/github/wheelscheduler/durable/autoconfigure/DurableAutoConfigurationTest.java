package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Durable tasks of an application that adds the dependency and a handler. */
class DurableAutoConfigurationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    record Invoice(String number) {}

    static class Invoices {
        final Queue<Object> sent = new ConcurrentLinkedQueue<>();

        @DurableHandler("invoice")
        void send(Invoice invoice) {
            sent.add(invoice);
        }

        @DurableHandler(value = "report", maxRetries = 0)
        void report() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInvoices {
        @Bean
        Invoices invoices() {
            return new Invoices();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTwoParameters {
        @Bean
        Object handler() {
            return new Object() {
                @DurableHandler("two")
                @SuppressWarnings("unused") // on purpose
                void two(String one, String two) {}
            };
        }
    }

    @Test
    void runsAnnotatedMethods() {
        runner.withUserConfiguration(WithInvoices.class).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            assertThat(tasks.schedule("invoice", "1", new Invoice("4711"), Instant.now()))
                    .isTrue();
            assertThat(tasks.schedule("report", "1", null, Instant.now())).isTrue();

            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(context.getBean(Invoices.class).sent).containsExactly(new Invoice("4711")));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(tasks.list("report", DurableTask.State.FAILED, null, 10))
                            .singleElement()
                            .satisfies(task -> assertThat(task.failure()).contains("on purpose")));
        });
    }

    @Test
    void whereTheyAreDisabledTheyAreScheduledAndDoNotRun() {
        runner.withUserConfiguration(WithInvoices.class)
                .withPropertyValues("wheel.scheduler.durable.enabled=false", "wheel.scheduler.durable.table=other")
                .run(context -> {
                    DurableTasks tasks = context.getBean(DurableTasks.class);
                    assertThat(tasks.schedule("invoice", "1", new Invoice("1"), Instant.now()))
                            .isTrue();
                    assertThat(context.getBean(DurableEngine.class).counts().claimed())
                            .isZero();
                    assertThat(tasks.find("invoice", "1")).isPresent();
                });
    }

    @Test
    void aMethodThatCannotRunTasksStopsTheStart() {
        runner.withUserConfiguration(WithTwoParameters.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("must have one parameter at most, the payload, but"));
    }

    @Test
    void badValuesStopTheStart() {
        runner.withPropertyValues("wheel.scheduler.durable.heartbeat=1ms")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("heartbeat must be 100 ms to 1 minute, was PT0.001S"));
    }
}
