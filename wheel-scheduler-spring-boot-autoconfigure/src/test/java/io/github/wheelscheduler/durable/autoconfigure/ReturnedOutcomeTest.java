package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a method with {@code @DurableHandler} returns. */
class ReturnedOutcomeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    static class Shipments {
        private final AtomicInteger runs = new AtomicInteger();

        @DurableHandler("track")
        DurableOutcome track(String id) {
            int run = runs.incrementAndGet();
            return run < 3 ? DurableOutcome.again(Instant.now()) : DurableOutcome.done();
        }

        @DurableHandler(value = "reject", transactional = true)
        DurableOutcome.GiveUp reject(String reason) {
            return new DurableOutcome.GiveUp(reason);
        }

        @DurableHandler(value = "nothing", maxRetries = 0)
        @Nullable
        DurableOutcome nothing() {
            return null;
        }

        @DurableHandler("object")
        Object object() {
            return DurableOutcome.giveUp("as an object");
        }

        @DurableHandler("boolean")
        boolean isSent() {
            return false;
        }

        @DurableHandler("list")
        List<String> lines() {
            return List.of();
        }
    }

    private static DurableTask awaitFailed(DurableTasks tasks, String handler, @Nullable Object payload) {
        assertThat(tasks.schedule(handler, "1", payload, Instant.now())).isTrue();
        return await().atMost(PATIENCE)
                .until(
                        () -> tasks.find(handler, "1"),
                        found -> found.filter(task -> task.state() == State.FAILED)
                                .isPresent())
                .orElseThrow();
    }

    private static void awaitGone(DurableTasks tasks, String handler) {
        assertThat(tasks.schedule(handler, "1", null, Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> tasks.find(handler, "1").isEmpty());
    }

    @Test
    void handlerSaysWhatBecomesOfItsTask() {
        runner.withUserConfiguration(Shipments.class).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            awaitGone(tasks, "track");
            assertThat(context.getBean(Shipments.class).runs).hasValue(3);
            assertThat(awaitFailed(tasks, "reject", "no such address"))
                    .extracting(DurableTask::failure, DurableTask::failures)
                    .containsExactly("no such address", 1);
            assertThat(awaitFailed(tasks, "object", null).failure()).isEqualTo("as an object");
            assertThat(awaitFailed(tasks, "nothing", null).failure())
                    .contains("A handler must return a DurableOutcome, such as done(), was null: ");
        });
    }

    @Test
    void otherValuesAreIgnoredAsBefore() {
        runner.withUserConfiguration(Shipments.class).run(context -> {
            awaitGone(context.getBean(DurableTasks.class), "boolean");
            awaitGone(context.getBean(DurableTasks.class), "list");
        });
    }

    static class ReturnsOptional {
        @DurableHandler("hidden")
        Optional<DurableOutcome> run() {
            return Optional.empty();
        }
    }

    static class ReturnsArray {
        @DurableHandler("hidden")
        DurableOutcome[] run() {
            return new DurableOutcome[0];
        }
    }

    static class ReturnsCallable {
        @DurableHandler("hidden")
        Callable<? extends DurableOutcome> run() {
            return DurableOutcome::done;
        }
    }

    interface Base<T> {
        T run();
    }

    static class ReturnsSupplierOfItsBase implements Base<Supplier<List<DurableOutcome>>> {
        @Override
        @DurableHandler("hidden")
        public Supplier<List<DurableOutcome>> run() {
            return List::of;
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {ReturnsOptional.class, ReturnsArray.class, ReturnsCallable.class, ReturnsSupplierOfItsBase.class
            })
    void outcomeInsideOfAnotherTypeStopsTheStart(Class<?> handlers) {
        runner.withUserConfiguration(handlers)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(UnusableSetupException.class)
                        .hasMessageContaining(
                                "A method with @DurableHandler must return a DurableOutcome by itself, but returns a ")
                        .hasMessageContaining("DurableOutcome"));
    }
}
