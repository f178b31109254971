package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.autoconfigure.testing.EnableAutoConfigurationButDurable;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Scheduling;
import io.github.wheelscheduler.spring.WheelTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.scheduling.annotation.Scheduled;

/** A value that cannot work stops the application with a text that says what to write. */
@ExtendWith(OutputCaptureExtension.class)
class UnusableSettingFailureAnalyzerTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            wheel.scheduler.tick                   | 2s    | must be between 1us and 1s
            wheel.scheduler.tick                   | 999ns | must be between 1us and 1s
            wheel.scheduler.tick                   | -5ms  | must be between 1us and 1s
            wheel.scheduler.worker.max-size        | 0     | must be at least 1
            wheel.scheduler.worker.keep-alive      | -1s   | must not be negative
            wheel.scheduler.max-pending            | 0     | must be at least 1
            wheel.scheduler.max-catch-up           | -1    | must not be negative
            wheel.scheduler.start-tolerance        | -1ms  | must not be negative
            wheel.scheduler.warn.oversleep         | -1s   | must not be negative
            wheel.scheduler.warn.queue-wait        | -1s   | must not be negative
            wheel.scheduler.warn.run               | -1s   | must not be negative
            wheel.scheduler.warn.interrupt-run     | -1s   | must not be negative
            wheel.scheduler.overdue.grace          | -0.1  | must not be negative
            wheel.scheduler.overdue.shortest-grace | -1s   | must not be negative
            wheel.scheduler.health.stuck-limit     | 0s    | must be positive
            wheel.scheduler.metrics.max-tasks      | -1    | must not be negative
            spring.task.scheduling.pool.size       | 0     | must be at least 1
            """)
    void textNamesPropertyValueAndRule(String property, String value, String rule, CapturedOutput output) {
        failToStart("--" + property + "=" + value);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The property '%s' is '%s' (from ".formatted(property, value))
                .contains("but it " + rule)
                .contains("Set '%s' to a valid value, for example %s=".formatted(property, property));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void concurrencyLimitThatLetsNothingRunIsExplainedToo(CapturedOutput output) {
        failToStart("--spring.threads.virtual.enabled=true", "--spring.task.scheduling.simple.concurrency-limit=0");
        assertThat(output)
                .contains("The property 'spring.task.scheduling.simple.concurrency-limit' is '0'")
                .contains("but it must be at least 1, or -1 for no limit");
    }

    @Test
    void placeholderIsShownAsTheValueItStandsFor(CapturedOutput output) {
        failToStart("--my.catch-up=-7", "--wheel.scheduler.max-catch-up=${my.catch-up}");
        assertThat(output).contains("The property 'wheel.scheduler.max-catch-up' is '-7'");
    }

    @Test
    void runIsNotInterruptedBeforeItIsWarnedOf(CapturedOutput output) {
        failToStart("--wheel.scheduler.warn.run=1m", "--wheel.scheduler.warn.interrupt-run=30s");
        assertThat(output)
                .contains("The property 'wheel.scheduler.warn.interrupt-run' is '30s'")
                .contains("but it must not be shorter than wheel.scheduler.warn.run, which is PT1M")
                .contains("for example wheel.scheduler.warn.interrupt-run=PT1M");
    }

    @ParameterizedTest
    @CsvSource({
        "wheel.scheduler.tick, soon",
        "wheel.scheduler.start-tolerance, soon",
        "wheel.scheduler.max-pending, many"
    })
    void valueOfAnotherTypeKeepsBootsOwnText(String property, String value, CapturedOutput output) {
        failToStart("--" + property + "=" + value);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Failed to bind properties under '%s'".formatted(property))
                .contains("Value: \"%s\"".formatted(value));
    }

    @ParameterizedTest
    @CsvSource({
        "wheel.scheduler.tick, 2s",
        "wheel.scheduler.worker.max-size, 0",
        "wheel.scheduler.worker.keep-alive, -1s",
        "wheel.scheduler.max-pending, 0",
        "wheel.scheduler.max-catch-up, -1",
        "wheel.scheduler.start-tolerance, -1s",
        "wheel.scheduler.groups.reports.start-tolerance, -1ns",
        "wheel.scheduler.warn.oversleep, -1s",
        "wheel.scheduler.warn.queue-wait, -1s",
        "wheel.scheduler.warn.run, -1s",
        "wheel.scheduler.warn.interrupt-run, -1s",
        "wheel.scheduler.overdue.grace, -1",
        "wheel.scheduler.overdue.shortest-grace, -1s",
        "wheel.scheduler.health.stuck-limit, 0s",
        "spring.task.scheduling.pool.size, 0"
    })
    void theExampleOfTheTextWorks(String property, String value) {
        withScheduling().withPropertyValues(property + "=" + value).run(broken -> {
            Throwable cause = NestedExceptionUtils.getRootCause(broken.getStartupFailure());
            assertThat(cause)
                    .isInstanceOfSatisfying(
                            UnusableSettingException.class,
                            unusable -> withScheduling()
                                    .withPropertyValues(property + "=" + unusable.example())
                                    .run(context -> assertThat(context).hasNotFailed()));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "wheel.scheduler.tick, 1us",
        "wheel.scheduler.tick, 1s",
        "wheel.scheduler.worker.max-size, 1",
        "wheel.scheduler.worker.keep-alive, 0s",
        "wheel.scheduler.max-pending, 1",
        "wheel.scheduler.max-catch-up, 0",
        "wheel.scheduler.start-tolerance, 0s",
        "wheel.scheduler.start-tolerance, 1ns",
        "wheel.scheduler.start-tolerance, 100000d",
        "wheel.scheduler.warn.run, 1ns",
        "wheel.scheduler.overdue.grace, 0",
        "wheel.scheduler.overdue.shortest-grace, 0s",
        "wheel.scheduler.health.stuck-limit, 1ms"
    })
    void aValueJustInsideTheRuleWorks(String property, String value) {
        withScheduling()
                .withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class WithUnusableJitter {
        @WheelTask(jitter = "-1s")
        @Scheduled(fixedRate = 1_000)
        void work() {}
    }

    @Test
    void settingOfAnAnnotationIsNotCalledAProperty() {
        withScheduling().withBean(WithUnusableJitter.class).run(context -> {
            FailureAnalyzer analyzer = new UnusableSettingFailureAnalyzer(new StandardEnvironment());
            Throwable failure = context.getStartupFailure();
            assertThat(failure)
                    .hasRootCauseInstanceOf(UnusableSettingException.class)
                    .hasMessageContaining("WithUnusableJitter.work must be usable: jitter must not be negative");
            assertThat(analyzer.analyze(failure)).isNull();
        });
    }

    private static void failToStart(String... arguments) {
        assertThatException()
                .isThrownBy(() -> new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .run(arguments)
                        .close());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfigurationButDurable
    @Import(Scheduling.class)
    static class Application {}
}
