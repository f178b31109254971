package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Schedulers of the application with the settings of ours, and what the log says where none is on the wheel. */
@ExtendWith(OutputCaptureExtension.class)
class WheelTaskSchedulerBuilderTest {

    @Test
    void schedulerOfTheApplicationHasTheSettingsOfOurs() {
        withoutScheduling()
                .withUserConfiguration(TwoSchedulers.class)
                .withPropertyValues("wheel.scheduler.worker.max-size=7", "wheel.scheduler.max-pending=9")
                .run(context -> {
                    for (String name : new String[] {"reports", "mails"}) {
                        WheelTaskScheduler scheduler = context.getBean(name, WheelTaskScheduler.class);
                        assertThat(scheduler.getWheelScheduledExecutor().maxWorkers())
                                .isEqualTo(7);
                        assertThat(scheduler.getWheelScheduledExecutor().maxPending())
                                .isEqualTo(9);
                        assertThat(scheduler.getThreadNamePrefix()).isEqualTo(name + "-");
                    }
                });
    }

    @Test
    void customizersApplyToEachOfThem() {
        withoutScheduling()
                .withUserConfiguration(TwoSchedulers.class)
                .withBean(WheelSchedulerCustomizer.class, () -> scheduler -> scheduler.setPoolSize(3))
                .run(context -> assertThat(context.getBean("mails", WheelTaskScheduler.class)
                                .getWheelScheduledExecutor()
                                .maxWorkers())
                        .isEqualTo(3));
    }

    @Test
    void logSaysThatSchedulingIsNotEnabled(CapturedOutput output) {
        withoutScheduling()
                .run(context -> assertThat(output)
                        .containsOnlyOnce("Wheel Scheduler is not active: no @Scheduled method runs, as "
                                + "@EnableScheduling is missing"));
    }

    @Test
    void logNamesTheSchedulerThatKeepsTheWheelAway(CapturedOutput output) {
        withScheduling()
                .withBean("own", org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler.class)
                .run(context ->
                        assertThat(output).containsOnlyOnce("as the application has the scheduler 'own'. To run them"));
    }

    @Test
    void logSaysThatTheWheelIsTurnedOff(CapturedOutput output) {
        withScheduling().run(context -> assertThat(output).doesNotContain("is not active"));
        withScheduling()
                .withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> assertThat(output)
                        .containsOnlyOnce("as wheel.scheduler.enabled is false. Remove that property"));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoSchedulers {

        @Bean
        WheelTaskScheduler reports(WheelTaskSchedulerBuilder builder) {
            return named("reports-", builder);
        }

        @Bean
        WheelTaskScheduler mails(WheelTaskSchedulerBuilder builder) {
            return named("mails-", builder);
        }

        private static WheelTaskScheduler named(String prefix, WheelTaskSchedulerBuilder builder) {
            WheelTaskScheduler scheduler = builder.build();
            scheduler.setThreadNamePrefix(prefix);
            return scheduler;
        }
    }
}
