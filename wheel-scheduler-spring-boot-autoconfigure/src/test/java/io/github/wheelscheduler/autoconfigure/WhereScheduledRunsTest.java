package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;

/** Where {@code @Scheduled} methods run beside schedulers of the application's own, and what the log says of it. */
@ExtendWith(OutputCaptureExtension.class)
class WhereScheduledRunsTest {

    private static final String LINE = "Wheel Scheduler is active: @Scheduled methods run on ";

    private static ApplicationContextRunner withOrders() {
        return withScheduling()
                .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-")
                .withUserConfiguration(Orders.class);
    }

    private static WheelTaskScheduler named(String prefix, WheelTaskSchedulerBuilder builder) {
        WheelTaskScheduler scheduler = builder.build();
        scheduler.setThreadNamePrefix(prefix);
        return scheduler;
    }

    private static void assertThatItRunsOn(ApplicationContextRunner application, String prefix) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(threadOfScheduledMethod(context)).startsWith(prefix);
        });
    }

    @Test
    void severalSchedulersLiveBesideTheAutoConfiguredOne(CapturedOutput output) {
        assertThatItRunsOn(withOrders().withUserConfiguration(Reports.class), "wheel-");
        assertThat(output)
                .containsOnlyOnce(LINE)
                .contains(LINE
                        + "'taskScheduler', up to 256 at a time, as none of the wheel schedulers 'orders', "
                        + "'reports' is primary");
    }

    @Test
    void lineNamesTenOfManyOthers(CapturedOutput output) {
        ApplicationContextRunner application = withOrders();
        for (int i = 0; i < 12; i++) {
            application = application.withBean("own" + i, WheelTaskScheduler.class, WheelTaskScheduler::new);
        }
        assertThatItRunsOn(application, "wheel-");
        assertThat(output)
                .containsPattern(LINE + "'taskScheduler', up to 256 at a time, as none of the wheel schedulers "
                        + "('\\w+', ){9}'\\w+' and 3 more is primary");
    }

    @Test
    void schedulerAloneTakesThem(CapturedOutput output) {
        assertThatItRunsOn(withOrders(), "orders-");
        withOrders().run(context -> assertThat(context).doesNotHaveBean("taskScheduler"));
        assertThat(output).contains(LINE + "'orders', up to 256 at a time").doesNotContain("one worker");
    }

    @Test
    void schedulerThatIsNoDefaultCandidateTakesNone(CapturedOutput output) {
        assertThatItRunsOn(
                withScheduling()
                        .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-")
                        .withUserConfiguration(ForQualifiersOnly.class),
                "wheel-");
        assertThat(output).contains(LINE + "'taskScheduler', up to 256 at a time");
    }

    @Test
    void primarySchedulerTakesThem(CapturedOutput output) {
        ApplicationContextRunner application = withOrders().withUserConfiguration(PrimaryReports.class);
        assertThatItRunsOn(application, "reports-");
        application.run(context -> assertThat(context).doesNotHaveBean("taskScheduler"));
        assertThat(output).contains(LINE + "'reports', up to 256 at a time");
    }

    @Test
    void schedulerBesideAFallbackTakesThem(CapturedOutput output) {
        ApplicationContextRunner application = withOrders()
                .withBean(
                        "reports",
                        WheelTaskScheduler.class,
                        WheelTaskScheduler::new,
                        (BeanDefinition definition) -> definition.setFallback(true));
        assertThatItRunsOn(application, "orders-");
        application.run(context -> assertThat(context).doesNotHaveBean("taskScheduler"));
        assertThat(output).contains(LINE + "'orders', up to 256 at a time");
    }

    @Test
    void schedulerOfThatNameTakesThem(CapturedOutput output) {
        assertThatItRunsOn(withOrders().withUserConfiguration(OfThatName.class), "mine-");
        assertThat(output).contains(LINE + "'taskScheduler', up to 256 at a time");
    }

    @Test
    void schedulerThatAConfigurerSetsTakesThem(CapturedOutput output) {
        assertThatItRunsOn(
                withOrders().withBean(SchedulingConfigurer.class, () -> registrar -> {
                    WheelTaskScheduler own = new WheelTaskScheduler();
                    own.setThreadNamePrefix("own-");
                    own.setDaemon(true);
                    own.initialize();
                    registrar.setTaskScheduler(own);
                }),
                "own-");
        assertThat(output)
                .contains(LINE + "a WheelTaskScheduler, up to 256 at a time, as a SchedulingConfigurer chose it");
    }

    @Test
    void schedulersThatHideWhatTheyAreLeaveThemToSpring(CapturedOutput output) {
        assertThatItRunsOn(withScheduling().withUserConfiguration(HiddenOnes.class), "pool-");
        assertThat(output)
                .contains("is not active: @Scheduled methods run on Spring's single default thread, as the application "
                        + "has the schedulers 'one', 'other'. To run them on the wheel, make one of these "
                        + "@Primary: 'one', 'other'")
                .contains("WARN");
    }

    @Test
    void oneWorkerOfBootsBuilderIsToldOf(CapturedOutput output) {
        assertThatItRunsOn(withScheduling().withUserConfiguration(OfBootsBuilder.class), "scheduling-");
        assertThat(output)
                .contains(LINE + "'boots', one at a time. It has one worker, ")
                .contains("ThreadPoolTaskSchedulerBuilder")
                .contains("spring.task.scheduling.pool.size");
    }

    @Test
    void oneWorkerThatIsWantedIsNot(CapturedOutput output) {
        assertThatItRunsOn(
                withScheduling()
                        .withPropertyValues("spring.task.scheduling.pool.size=1")
                        .withUserConfiguration(OfBootsBuilder.class),
                "scheduling-");
        assertThat(output).contains(LINE).doesNotContain("one worker");
    }

    @Configuration(proxyBeanMethods = false)
    static class Orders {

        @Bean
        WheelTaskScheduler orders(WheelTaskSchedulerBuilder builder) {
            return named("orders-", builder);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Reports {

        @Bean
        WheelTaskScheduler reports(WheelTaskSchedulerBuilder builder) {
            return named("reports-", builder);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryReports {

        @Bean
        @Primary
        WheelTaskScheduler reports(WheelTaskSchedulerBuilder builder) {
            return named("reports-", builder);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfThatName {

        @Bean
        WheelTaskScheduler taskScheduler(WheelTaskSchedulerBuilder builder) {
            return named("mine-", builder);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ForQualifiersOnly {

        @Bean(defaultCandidate = false)
        WheelTaskScheduler imports(WheelTaskSchedulerBuilder builder) {
            return named("imports-", builder);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HiddenOnes {

        @Bean
        TaskScheduler one(WheelTaskSchedulerBuilder builder) {
            return builder.build();
        }

        @Bean
        TaskScheduler other(WheelTaskSchedulerBuilder builder) {
            return builder.build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfBootsBuilder {

        @Bean
        WheelTaskScheduler boots(ThreadPoolTaskSchedulerBuilder builder) {
            return builder.configure(new WheelTaskScheduler());
        }
    }
}
