package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A cron of "-" disables a durable task on one node; a cron that never fires runs nowhere. */
@ExtendWith(OutputCaptureExtension.class)
class DisabledCronTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    WheelSchedulerAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withUserConfiguration(WithJobs.class)
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    static class Jobs {
        final AtomicInteger dashes = new AtomicInteger();
        final AtomicInteger both = new AtomicInteger();
        final AtomicInteger never = new AtomicInteger();
        final AtomicInteger plain = new AtomicInteger();

        @Durable("dash")
        @Scheduled(cron = "${dash.cron}")
        void dash() {
            dashes.incrementAndGet();
        }

        @Durable("both")
        @Scheduled(cron = Scheduled.CRON_DISABLED)
        @Scheduled(fixedRate = 50)
        void both() {
            both.incrementAndGet();
        }

        @Scheduled(cron = "0 0 0 31 2 *")
        void never() {
            never.incrementAndGet();
        }

        @Scheduled(fixedRate = 50)
        void plain() {
            plain.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class WithJobs {
        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "#{'-'}", "${not.there:-}"})
    void cronOfADashIsDisabledOnThisNode(String cron, CapturedOutput output) {
        runner.withPropertyValues("dash.cron=* * * * * *").run(other -> {
            Jobs there = other.getBean(Jobs.class);
            await().atMost(PATIENCE).until(() -> there.dashes.get() > 0);
            RecurringTasks tasks = other.getBean(RecurringTasks.class);
            String schedule = tasks.find("dash").orElseThrow().schedule();

            runner.withPropertyValues("dash.cron=" + cron).run(context -> {
                assertThat(context).hasNotFailed();
                Jobs here = context.getBean(Jobs.class);
                await().atMost(PATIENCE).until(() -> here.plain.get() > 0);
                int before = there.dashes.get();
                await().atMost(PATIENCE).until(() -> there.dashes.get() >= before + 2);
                assertThat(here.dashes).hasValue(0);
                assertThat(context.getBean(RecurringTasks.class).find("dash").map(RecurringTask::schedule))
                        .contains(schedule);
            });
        });
        assertThat(output.getOut()
                        .lines()
                        .filter(line -> line.contains("The durable task dash does not run on this node")))
                .singleElement()
                .asString()
                .endsWith("as its cron is -");
    }

    @Test
    void oneScheduleOfTwoMayBeDisabled() {
        runner.withPropertyValues("dash.cron=-").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            await().atMost(PATIENCE).until(() -> jobs.both.get() > 0);
            assertThat(context.getBean(RecurringTasks.class).find("dash")).isEmpty();
        });
    }

    @Test
    void cronThatNeverFiresRunsNowhere(CapturedOutput output) {
        runner.withPropertyValues("dash.cron=0 0 0 31 2 *").run(context -> {
            assertThat(context).hasNotFailed();
            Jobs jobs = context.getBean(Jobs.class);
            RecurringTasks tasks = context.getBean(RecurringTasks.class);
            await().atMost(PATIENCE).until(() -> tasks.find("dash").isPresent());
            await().atMost(PATIENCE).until(() -> jobs.plain.get() > 2 && jobs.both.get() > 2);
            assertThat(jobs.dashes).hasValue(0);
            assertThat(jobs.never).hasValue(0);
            assertThat(tasks.find("dash").orElseThrow().dueAt()).isNull();
            RecurringTaskDescriptor listed =
                    RecurringTaskDescriptor.of(tasks.find("dash").orElseThrow());
            assertThat(listed.next()).isNull();
            assertThat(listed.state()).isEqualTo("ENDED");
        });
        assertThat(output.getOut().lines().filter(line -> line.contains("never fires")))
                .hasSize(1);
    }
}
