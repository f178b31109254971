package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.SkipReason;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronTrigger;

/** Each group that the properties name is a scheduler bean of its name, on the wheel of the auto-configured one. */
class GroupBeansTest {

    private static final String REPORTS = "wheel.scheduler.groups.reports.";

    @Test
    void groupIsASchedulerOfItsNameOnTheSameWheel() {
        withScheduling()
                .withPropertyValues(REPORTS + "max-size=3", REPORTS + "queue-capacity=5", REPORTS + "on-full=reject")
                .run(context -> {
                    WheelTaskScheduler group = context.getBean("reports", WheelTaskScheduler.class);
                    WheelScheduledExecutor executor = group.getWheelScheduledExecutor();
                    assertThat(executor.maxWorkers()).isEqualTo(3);
                    assertThat(executor.queueCapacity()).isEqualTo(5);
                    assertThat(executor.onFull()).isEqualTo(OnFull.REJECT);
                    assertThat(wheelOf(context).getWheelScheduledExecutor().groups())
                            .containsExactly(executor);
                    assertThat(group.submit(() -> Thread.currentThread().getName())
                                    .get(30, TimeUnit.SECONDS))
                            .startsWith("reports-");
                });
    }

    @Test
    void injectionByTypeGetsTheSameSchedulerAsWithoutGroups() {
        withScheduling()
                .withPropertyValues(REPORTS + "max-size=3", "wheel.scheduler.groups.mails.max-size=1")
                .withBean(ByType.class)
                .run(context -> {
                    ByType byType = context.getBean(ByType.class);
                    assertThat(byType.scheduler).isSameAs(wheelOf(context));
                    assertThat(byType.wheel).isSameAs(wheelOf(context));
                    assertThat(byType.reports).isSameAs(context.getBean("reports"));
                    assertThat(context.getBean(TaskScheduler.class)).isSameAs(wheelOf(context));
                    assertThat(context).hasBean(TaskExecutionAutoConfiguration.APPLICATION_TASK_EXECUTOR_BEAN_NAME);
                    assertThat(context.getBean("applicationTaskExecutor", Executor.class))
                            .isNotInstanceOf(WheelTaskScheduler.class);
                });
    }

    @Test
    void methodThatIsBlockedInItsGroupDelaysNoOther() {
        withoutScheduling()
                .withUserConfiguration(TwoKinds.class)
                .withPropertyValues(REPORTS + "max-size=1", REPORTS + "queue-capacity=0")
                .run(context -> {
                    Tasks tasks = context.getBean(Tasks.class);
                    assertThat(tasks.report.orTimeout(30, TimeUnit.SECONDS).join())
                            .startsWith("reports-");
                    assertThat(tasks.beats.await(30, TimeUnit.SECONDS)).isTrue();
                    WheelTaskScheduler group = context.getBean("reports", WheelTaskScheduler.class);
                    assertThat(group.getTaskRegistry().size()).isEqualTo(1);
                    tasks.end.countDown();
                });
    }

    @Test
    void fullGroupRejectsAtTheCallAsSpringSaysIt() {
        withScheduling()
                .withPropertyValues(REPORTS + "max-size=1", REPORTS + "queue-capacity=0", REPORTS + "on-full=drop")
                .run(context -> {
                    WheelTaskScheduler group = context.getBean("reports", WheelTaskScheduler.class);
                    CountDownLatch end = new CountDownLatch(1);
                    CountDownLatch started = new CountDownLatch(1);
                    group.execute(() -> {
                        started.countDown();
                        await(end);
                    });
                    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
                    assertThatThrownBy(() -> group.execute(() -> {})).isInstanceOf(TaskRejectedException.class);
                    end.countDown();
                });
    }

    @ParameterizedTest
    @CsvSource({"reject", "drop"})
    void aCronLosesTheRunsThatFindItsGroupFullAndGoesOn(String onFull) {
        withScheduling()
                .withPropertyValues(REPORTS + "max-size=1", REPORTS + "queue-capacity=0", REPORTS + "on-full=" + onFull)
                .run(context -> {
                    WheelTaskScheduler group = context.getBean("reports", WheelTaskScheduler.class);
                    CountDownLatch end = new CountDownLatch(1);
                    CountDownLatch started = new CountDownLatch(1);
                    group.execute(() -> {
                        started.countDown();
                        await(end);
                    });
                    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
                    CountDownLatch ran = new CountDownLatch(2);
                    ScheduledFuture<?> cron = group.schedule(ran::countDown, new CronTrigger("* * * * * *"));
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(30))
                            .until(() -> group.getTaskRegistry().skips(SkipReason.FULL) >= 2);
                    assertThat(ran.getCount()).isEqualTo(2);
                    end.countDown();
                    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
                    assertThat(Objects.requireNonNull(cron).cancel(false)).isTrue();
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            boolean ignored = latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void modeOfAllIsThatOfTheProperty() {
        withScheduling()
                .withPropertyValues(REPORTS + "max-size=1", "wheel.scheduler.mode=halted")
                .run(context -> {
                    WheelTaskScheduler group = context.getBean("reports", WheelTaskScheduler.class);
                    assertThat(group.getMode()).isEqualTo(SchedulerMode.HALTED);
                    wheelOf(context).setMode(SchedulerMode.RUN);
                    assertThat(group.getWheelScheduledExecutor().isHalted()).isTrue();
                    group.setMode(SchedulerMode.RUN);
                    assertThat(group.getWheelScheduledExecutor().isHalted()).isFalse();
                });
    }

    @ParameterizedTest
    @CsvSource({
        "max-size, 0, must be at least 1",
        "queue-capacity, -1, must not be negative",
        "on-full, explode, explode",
    })
    void valuesThatDoNotFitStopTheStartAndNameTheProperty(String property, String value, String text) {
        withScheduling()
                .withPropertyValues(REPORTS + property + "=" + value)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"heartbeat", "environment", "systemProperties"})
    void nameOfAnotherBeanIsNoneForAGroup(String name) {
        String group = "wheel.scheduler.groups." + name;
        withScheduling()
                .withPropertyValues(group + ".max-size=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(group + " must not be the name of another bean"));
    }

    @Test
    void closingTheContextEndsAllGroups() throws InterruptedException {
        WheelScheduledExecutor[] executors = new WheelScheduledExecutor[2];
        withScheduling().withPropertyValues(REPORTS + "max-size=1").run(context -> {
            executors[0] = context.getBean("reports", WheelTaskScheduler.class).getWheelScheduledExecutor();
            executors[1] = wheelOf(context).getWheelScheduledExecutor();
            assertThat(executors[0].submit(() -> 1).get(30, TimeUnit.SECONDS)).isEqualTo(1);
        });
        assertThat(executors[0].awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(executors[1].awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    static class ByType {

        final TaskScheduler scheduler;
        final WheelTaskScheduler wheel;
        final TaskScheduler reports;

        ByType(TaskScheduler scheduler, WheelTaskScheduler wheel, @Qualifier("reports") TaskScheduler reports) {
            this.scheduler = scheduler;
            this.wheel = wheel;
            this.reports = reports;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class TwoKinds {

        @Bean
        Tasks tasks() {
            return new Tasks();
        }
    }

    static class Tasks {

        final CompletableFuture<String> report = new CompletableFuture<>();
        final CountDownLatch end = new CountDownLatch(1);
        final CountDownLatch beats = new CountDownLatch(20);

        @Scheduled(fixedRate = 1, scheduler = "reports")
        void report() {
            report.complete(Thread.currentThread().getName());
            await(end);
        }

        @Scheduled(fixedRate = 1)
        void beat() {
            beats.countDown();
        }
    }
}
