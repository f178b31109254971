package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** {@code wheel.scheduler.durable.unknown-handlers}, in a caller with {@code @Transactional}. */
@ExtendWith(OutputCaptureExtension.class)
class UnknownHandlersPropertyTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withUserConfiguration(WithShop.class)
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    static class Shop {
        private final DurableTasks tasks;

        Shop(DurableTasks tasks) {
            this.tasks = tasks;
        }

        @Transactional
        public void order() {
            assertThat(tasks.schedule("mail", "1", null, LATER)).isTrue();
            assertThatIllegalArgumentException().isThrownBy(() -> tasks.schedule("male", "1", null, LATER));
        }
    }

    static class Mails {
        @DurableHandler("mail")
        void send() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class WithShop {
        @Bean
        Shop shop(DurableTasks tasks) {
            return new Shop(tasks);
        }

        @Bean
        Mails mails() {
            return new Mails();
        }
    }

    @Test
    void failureRollsNothingElseBack() {
        runner.withPropertyValues("wheel.scheduler.durable.unknown-handlers=fail")
                .run(context -> {
                    context.getBean(Shop.class).order();
                    DurableTasks tasks = context.getBean(DurableTasks.class);
                    assertThat(tasks.find("mail", "1")).isPresent();
                    assertThat(tasks.find("male", "1")).isEmpty();
                });
    }

    @Test
    void warningIsTheDefault(CapturedOutput output) {
        runner.run(context -> {
            assertThat(context.getBean(DurableTasks.class).schedule("male", "1", null, LATER))
                    .isTrue();
            await().atMost(PATIENCE).until(() -> output.getOut().contains("'male', which no node has"));
            DurableFindings findings = new DurableFindings(context.getBean(DurableEngine.class), () -> null, null);
            await().atMost(PATIENCE)
                    .until(() -> findings.findings(Instant.now()).stream()
                            .anyMatch(finding -> finding.toString().contains("'male', which no node has")));
        });
    }
}
