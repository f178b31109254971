package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.PeriodicTrigger;

/** {@code @Scheduled} methods from end to end. */
abstract class ScheduledMethodContract extends ContextFixture {

    ScheduledMethodContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void everyKindOfScheduledMethodRunsOnTheScheduler() {
        var shortBeforeTheSecond = new SteadyClock(Instant.parse("2100-01-01T00:00:00.950Z"));
        var context = context(it -> it.setClock(shortBeforeTheSecond), it -> it.register(Config.class, Methods.class));
        var methods = context.getBean(Methods.class);

        methods.fixedRate.awaitRuns(3);
        methods.delayedFixedRate.awaitRuns(3);
        methods.fixedDelay.awaitRuns(3);
        methods.delayedFixedDelay.awaitRuns(3);
        methods.once.awaitRuns(1);
        methods.cron.awaitRuns(1);
        assertThat(methods.threads).allMatch(name -> name.startsWith("taskScheduler-"));
        assertThat(methods.once.runs()).isEqualTo(1);
    }

    @Test
    void disabledCronAndOneThatNeverFiresRunNothing() {
        var context = context(settings -> {}, it -> it.register(Config.class, NeverRun.class));
        var methods = context.getBean(NeverRun.class);

        methods.others.awaitRuns(3);
        assertThat(methods.runs.runs()).isZero();
        assertThat(context.getBean(ScheduledTaskHolder.class).getScheduledTasks())
                .filteredOn(task -> task.getTask() instanceof CronTask)
                .singleElement()
                .satisfies(task -> {
                    assertThat(task.getTask()).hasToString(NeverRun.class.getName() + ".never");
                    assertThat(task.nextExecution()).isNull();
                });
    }

    @Test
    void errorHandlerGetsTheCheckedExceptionOfAMethod() {
        List<Throwable> seen = new CopyOnWriteArrayList<>();
        var context = context(it -> it.setErrorHandler(seen::add), it -> it.register(Config.class, Failing.class));
        var failing = context.getBean(Failing.class);

        await().until(() -> seen.size() >= 3);
        assertThat(seen).allSatisfy(failure -> assertThat(failure).isSameAs(failing.failure));
    }

    @Test
    void methodCanNameItsScheduler() {
        var context = context(settings -> {}, it -> {
            registerScheduler(it, "other", settings -> {});
            it.register(Config.class, OnAnother.class);
        });
        var methods = context.getBean(OnAnother.class);

        await().until(() -> methods.threads.size() >= 2);
        assertThat(methods.threads).allMatch(name -> name.startsWith("other-"));
    }

    @Test
    void tasksCanBeRegisteredByHand() {
        var context = context(settings -> {}, it -> it.register(Config.class, ByHand.class));
        var tasks = context.getBean(ByHand.class);

        tasks.rate.awaitRuns(2);
        tasks.delay.awaitRuns(2);
        tasks.trigger.awaitRuns(2);
        tasks.once.awaitRuns(1);
    }

    @Test
    void contextPausesAndResumesTheMethods() {
        var context = context(settings -> {}, it -> it.register(Config.class, Methods.class));
        var methods = context.getBean(Methods.class);
        methods.fixedRate.awaitRuns(2);
        methods.fixedDelay.awaitRuns(2);

        context.stop();
        int rateRuns = methods.fixedRate.runs();
        int delayRuns = methods.fixedDelay.runs();
        staysTrue(() -> methods.fixedRate.runs() == rateRuns && methods.fixedDelay.runs() == delayRuns);
        context.start();

        methods.fixedRate.awaitRuns(rateRuns + 2);
        methods.fixedDelay.awaitRuns(delayRuns + 2);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Config {}

    static class Methods {

        private final List<String> threads = new CopyOnWriteArrayList<>();
        private final RecordingTask fixedRate = new RecordingTask();
        private final RecordingTask delayedFixedRate = new RecordingTask();
        private final RecordingTask fixedDelay = new RecordingTask();
        private final RecordingTask delayedFixedDelay = new RecordingTask();
        private final RecordingTask cron = new RecordingTask();
        private final RecordingTask once = new RecordingTask();

        @Scheduled(fixedRate = 20)
        void fixedRate() {
            run(fixedRate);
        }

        @Scheduled(initialDelayString = "PT0.03S", fixedRateString = "20ms")
        void delayedFixedRate() {
            run(delayedFixedRate);
        }

        @Scheduled(fixedDelay = 20)
        void fixedDelay() {
            run(fixedDelay);
        }

        @Scheduled(initialDelay = 30, fixedDelayString = "20")
        void delayedFixedDelay() {
            run(delayedFixedDelay);
        }

        @Scheduled(cron = "* * * * * *")
        void cron() {
            run(cron);
        }

        @Scheduled(initialDelay = 40_000, timeUnit = TimeUnit.MICROSECONDS)
        void once() {
            run(once);
        }

        private void run(RecordingTask task) {
            threads.add(Thread.currentThread().getName());
            task.run();
        }
    }

    static class NeverRun {

        private final RecordingTask runs = new RecordingTask();
        private final RecordingTask others = new RecordingTask();

        @Scheduled(cron = Scheduled.CRON_DISABLED)
        void disabled() {
            runs.run();
        }

        @Scheduled(cron = "0 0 0 31 2 *")
        void never() {
            runs.run();
        }

        @Scheduled(fixedRate = 20)
        @Scheduled(cron = Scheduled.CRON_DISABLED)
        void others() {
            others.run();
        }
    }

    static class Failing {

        private final IOException failure = new IOException("checked exception of a method");

        @Scheduled(fixedRate = 20)
        void failing() throws IOException {
            throw failure;
        }
    }

    static class OnAnother {

        private final List<String> threads = new CopyOnWriteArrayList<>();

        @Scheduled(fixedRate = 20, scheduler = "other")
        void fixedRate() {
            threads.add(Thread.currentThread().getName());
        }
    }

    static class ByHand implements SchedulingConfigurer {

        private final RecordingTask rate = new RecordingTask();
        private final RecordingTask delay = new RecordingTask();
        private final RecordingTask trigger = new RecordingTask();
        private final RecordingTask once = new RecordingTask();

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedRateTask(rate, PERIOD);
            registrar.addFixedDelayTask(delay, PERIOD);
            registrar.addTriggerTask(trigger, new PeriodicTrigger(PERIOD));
            registrar.addOneTimeTask(once, Duration.ofMillis(20));
        }
    }
}
