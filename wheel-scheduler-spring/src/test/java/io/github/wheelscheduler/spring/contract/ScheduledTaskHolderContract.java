package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.FixedDelayTask;
import org.springframework.scheduling.config.FixedRateTask;
import org.springframework.scheduling.config.OneTimeTask;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.config.TaskExecutionOutcome.Status;
import org.springframework.scheduling.support.CronExpression;

/** What the list of scheduled tasks says, which the actuator's endpoint shows: names, next times, last outcomes. */
abstract class ScheduledTaskHolderContract extends ContextFixture {

    private static final String YEARLY = "0 0 0 1 1 *";
    private static final long HOUR = 3_600_000;

    ScheduledTaskHolderContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void everyMethodIsListedUnderItsNameAndKind() {
        var context = context(Waiting.class);

        assertThat(tasksOf(context)).hasSize(4);
        assertThat(task(context, "rate").getTask()).isInstanceOf(FixedRateTask.class);
        assertThat(task(context, "delay").getTask()).isInstanceOf(FixedDelayTask.class);
        assertThat(task(context, "cron").getTask()).isInstanceOf(CronTask.class);
        assertThat(task(context, "once").getTask()).isInstanceOf(OneTimeTask.class);
    }

    @Test
    void nextTimeOfAWaitingTaskIsItsInitialDelayAway() {
        var context = context(Waiting.class);

        for (String name : List.of("rate", "delay", "once")) {
            assertThat(nextOf(task(context, name)))
                    .as(name)
                    .isCloseTo(Instant.now().plus(AN_HOUR), within(20, ChronoUnit.SECONDS));
        }
    }

    @Test
    void nextTimeOfACronTaskIsTheOneOfItsExpression() {
        var context = context(Waiting.class);
        ZonedDateTime next =
                Objects.requireNonNull(CronExpression.parse(YEARLY).next(ZonedDateTime.now(ZoneOffset.UTC)));

        assertThat(nextOf(task(context, "cron"))).isCloseTo(next.toInstant(), within(20, ChronoUnit.SECONDS));
    }

    @Test
    void taskThatHasNotRunHasNoOutcome() {
        var context = context(Waiting.class);

        assertThat(tasksOf(context)).allSatisfy(task -> {
            assertThat(statusOf(task)).isEqualTo(Status.NONE);
            assertThat(task.getTask().getLastExecutionOutcome().executionTime()).isNull();
        });
    }

    @Test
    void nextTimeMovesOnAfterASuccessfulRun() {
        var context = context(AtOnce.class);

        for (String name : List.of("rate", "delay")) {
            var task = task(context, name);
            await().until(() -> task.nextExecution() != null);
            assertThat(nextOf(task)).isCloseTo(Instant.now().plus(AN_HOUR), within(20, ChronoUnit.SECONDS));
            assertThat(statusOf(task)).isEqualTo(Status.SUCCESS);
            assertThat(task.getTask().getLastExecutionOutcome().throwable()).isNull();
            assertThat(task.getTask().getLastExecutionOutcome().executionTime())
                    .isCloseTo(Instant.now(), within(20, ChronoUnit.SECONDS));
        }
    }

    @Test
    void oneTimeTaskThatHasRunHasNoNextTime() {
        var context = context(AtOnce.class);
        var task = task(context, "once");

        await().until(() -> statusOf(task) == Status.SUCCESS);

        assertThat(task.nextExecution()).isNull();
    }

    @Test
    void failedRunIsAnErrorWithItsException() {
        List<Throwable> handled = new CopyOnWriteArrayList<>();
        var context = context(it -> it.setErrorHandler(handled::add), it -> it.register(Config.class, Failing.class));
        var task = task(context, "rate");

        await().until(() -> task.nextExecution() != null);

        assertThat(statusOf(task)).isEqualTo(Status.ERROR);
        assertThat(task.getTask().getLastExecutionOutcome().throwable())
                .isSameAs(context.getBean(Failing.class).failure);
        assertThat(handled).containsExactly(context.getBean(Failing.class).failure);
        assertThat(nextOf(task)).isCloseTo(Instant.now().plus(AN_HOUR), within(20, ChronoUnit.SECONDS));
    }

    @Test
    void runInProgressShowsAsStarted() {
        var context = context(Held.class);
        var held = context.getBean(Held.class).held;
        var task = task(context, "held");
        held.awaitStart();

        assertThat(statusOf(task)).isEqualTo(Status.STARTED);
        assertThat(task.nextExecution()).isNull();
        held.release();
        await().until(() -> statusOf(task) == Status.SUCCESS);
    }

    @Test
    void taskThatIsCancelledHasNoNextTimeAndRunsNoMore() {
        var context = context(Frequent.class);
        var runs = context.getBean(Frequent.class).runs;
        var task = task(context, "frequent");
        runs.awaitRuns(2);

        task.cancel(false);

        assertThat(task.nextExecution()).isNull();
        int before = runs.runs();
        // A worker may have taken a run that it has yet to begin.
        staysTrue(() -> runs.runs() <= before + 1);
    }

    @Test
    void cancellingATaskInterruptsItsRun() {
        var context = context(Held.class);
        var held = context.getBean(Held.class).held;
        held.awaitStart();

        task(context, "held").cancel();

        assertThat(held.awaitEnd().wasInterrupted()).isTrue();
    }

    @Test
    void tasksRegisteredByHandAreListedUnderTheirOwnNames() {
        var context = context(ByHand.class);

        assertThat(tasksOf(context))
                .extracting(ScheduledTask::toString)
                .containsExactlyInAnyOrder("named trigger", "named rate", "named once");
        assertThat(nextOf(task(context, "named trigger")))
                .isCloseTo(Instant.now().plus(AN_HOUR), within(20, ChronoUnit.SECONDS));
        assertThat(nextOf(task(context, "named once")))
                .isCloseTo(Instant.now().plus(AN_HOUR), within(20, ChronoUnit.SECONDS));
    }

    @Test
    void futuresOfAClosedContextHaveNoNextTime() {
        var context = context(Waiting.class);
        List<ScheduledTask> tasks = tasksOf(context);

        context.close();

        assertThat(tasks)
                .isNotEmpty()
                .allSatisfy(task -> assertThat(task.nextExecution()).isNull());
    }

    private AnnotationConfigApplicationContext context(Class<?> beans) {
        return context(settings -> {}, it -> it.register(Config.class, beans));
    }

    private static List<ScheduledTask> tasksOf(AnnotationConfigApplicationContext context) {
        return List.copyOf(context.getBean(ScheduledTaskHolder.class).getScheduledTasks());
    }

    private static ScheduledTask task(AnnotationConfigApplicationContext context, String name) {
        return tasksOf(context).stream()
                .filter(task -> task.toString().equals(name) || task.toString().endsWith("." + name))
                .findAny()
                .orElseThrow();
    }

    private static Instant nextOf(ScheduledTask task) {
        return Objects.requireNonNull(task.nextExecution(), "no next execution");
    }

    private static Status statusOf(ScheduledTask task) {
        return task.getTask().getLastExecutionOutcome().status();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Config {}

    static class Waiting {

        @Scheduled(initialDelay = HOUR, fixedRate = 10)
        void rate() {}

        @Scheduled(initialDelay = HOUR, fixedDelay = 10)
        void delay() {}

        @Scheduled(cron = YEARLY, zone = "UTC")
        void cron() {}

        @Scheduled(initialDelay = HOUR)
        void once() {}
    }

    static class AtOnce {

        @Scheduled(fixedRate = HOUR)
        void rate() {}

        @Scheduled(fixedDelay = HOUR)
        void delay() {}

        @Scheduled(initialDelay = 10)
        void once() {}
    }

    static class Failing {

        private final IllegalStateException failure = new IllegalStateException("method fails");

        @Scheduled(fixedRate = HOUR)
        void rate() {
            throw failure;
        }
    }

    static class Held {

        private final HeldTask held = new HeldTask();

        @Scheduled(fixedRate = HOUR)
        void held() {
            held.run();
        }
    }

    static class Frequent {

        private final RecordingTask runs = new RecordingTask();

        @Scheduled(fixedDelay = 20)
        void frequent() {
            runs.run();
        }
    }

    static class ByHand implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addTriggerTask(
                    new NamedTask("named trigger"),
                    context -> context.getClock().instant().plus(AN_HOUR));
            registrar.addFixedRateTask(new NamedTask("named rate"), Duration.ofHours(1));
            registrar.addOneTimeTask(new NamedTask("named once"), AN_HOUR);
        }
    }

    private record NamedTask(String name) implements Runnable {

        @Override
        public void run() {}

        @Override
        public String toString() {
            return name;
        }
    }
}
