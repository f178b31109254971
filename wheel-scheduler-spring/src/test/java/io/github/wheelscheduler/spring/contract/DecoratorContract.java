package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.support.PeriodicTrigger;

/** A task decorator is put around the execution callback of every task, whichever way it came. */
abstract class DecoratorContract extends SchedulerFixture {

    private final ContextPassing decorator = new ContextPassing();

    DecoratorContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource
    void decoratorIsAroundEveryKindOfTask(TaskKind kind) {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        List<String> seen = new CopyOnWriteArrayList<>();

        decorator.context.set("caller");
        kind.start(scheduler, () -> seen.add(decorator.seenByTask()));

        await().until(() -> !seen.isEmpty());
        assertThat(seen.get(0)).isEqualTo("caller");
    }

    @ParameterizedTest
    @EnumSource
    void decoratorIsAskedOnTheCallersThread(TaskKind kind) {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var task = new RecordingTask();

        kind.start(scheduler, task);

        task.awaitRuns(1);
        assertThat(decorator.decoratingThreads.get(0)).isSameAs(Thread.currentThread());
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "SUBMIT_COMPLETABLE_RUNNABLE", "ONE_TIME"})
    void aOneTimeTaskIsDecoratedOnce(TaskKind kind) {
        var scheduler = started(it -> it.setTaskDecorator(decorator));

        kind.start(scheduler, () -> {});

        await().until(() -> decorator.finished.get() == 1);
        staysTrue(() -> decorator.finished.get() == 1);
        assertThat(decorator.decoratingThreads).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_RATE_FROM_START", "FIXED_DELAY", "FIXED_DELAY_FROM_START"})
    void periodicTaskIsDecoratedOnceForAllRuns(TaskKind kind) {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var task = new RecordingTask();

        kind.start(scheduler, task);

        task.awaitRuns(3);
        await().until(() -> decorator.finished.get() >= 3);
        assertThat(decorator.decoratingThreads).hasSize(1);
    }

    @Test
    void occurrencesOfATriggerRunInTheCallersContext() {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var trigger = new ObservedTrigger(new PeriodicTrigger(PERIOD), 3);
        List<@Nullable String> seen = new CopyOnWriteArrayList<>();
        decorator.context.set("caller");

        awaitDone(Objects.requireNonNull(scheduler.schedule(() -> seen.add(decorator.seenByTask()), trigger)));

        await().until(() -> decorator.finished.get() == 3);
        assertThat(seen).containsExactly("caller", "caller", "caller");
    }

    @Test
    void decorationIsOnTheWorkersThreadAndEndsAfterTheTask() {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        List<Thread> taskThreads = new CopyOnWriteArrayList<>();
        var held = new HeldTask();

        scheduler.execute(() -> {
            taskThreads.add(Thread.currentThread());
            held.run();
        });
        held.awaitStart();

        staysTrue(() -> decorator.finished.get() == 0);
        held.release();
        await().until(() -> decorator.finished.get() == 1);
        assertThat(decorator.runningThreads).isEqualTo(taskThreads).doesNotContain(Thread.currentThread());
    }

    @Test
    void futureOfADecoratedTaskWaitsForTheTask() throws Exception {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var held = new HeldTask();

        Future<Boolean> future = scheduler.submit(() -> {
            held.run();
            return true;
        });
        held.awaitStart();

        assertThat(future.isDone()).isFalse();
        assertThatThrownBy(() -> future.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        held.release();
        assertThat(future.get()).isTrue();
        assertThat(future).succeedsWithin(PATIENCE).isEqualTo(true);
    }

    @Test
    void futureOfADecoratedTaskCarriesTheException() {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var failure = new IllegalStateException("decorated task fails");

        ScheduledFuture<?> future = scheduler.schedule(
                () -> {
                    throw failure;
                },
                Instant.now());

        assertFailsWith(future, failure);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "ONE_TIME", "FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aDecoratedTaskCanBeInterruptedByCancelling(TaskKind kind) {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var held = new HeldTask();
        Future<?> future = kind.futureOf(scheduler, held);
        held.awaitStart();

        assertThat(future.cancel(true)).isTrue();

        assertThat(held.awaitEnd().wasInterrupted()).isTrue();
        assertIsCancelled(future);
    }

    @Test
    void decoratedTaskCancelledBeforeItsTimeNeverRuns() {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        var task = new RecordingTask();

        Instant instant = Instant.now().plusMillis(60);

        ScheduledFuture<?> future = scheduler.schedule(task, instant);
        boolean cancelled = future.cancel(false);
        assumeStillBefore(instant);

        assertThat(cancelled).isTrue();
        assertIsCancelled(future);
        staysTrue(() -> !task.hasRun());
    }

    @Test
    void delayOfADecoratedTaskIsWhatIsLeftUntilItsTime() {
        var clock = new SteadyClock();
        var scheduler = started(it -> {
            it.setClock(clock);
            it.setTaskDecorator(decorator);
        });

        ScheduledFuture<?> sooner = scheduler.schedule(() -> {}, clock.instant().plus(AN_HOUR));
        ScheduledFuture<?> later =
                scheduler.scheduleAtFixedRate(() -> {}, clock.instant().plus(AN_HOUR.multipliedBy(2)), AN_HOUR);

        assertThat(Duration.ofNanos(sooner.getDelay(TimeUnit.NANOSECONDS))).isBetween(AN_HOUR.minus(PATIENCE), AN_HOUR);
        assertThat(sooner.compareTo(later)).isNegative();
        assertThat(later.compareTo(sooner)).isPositive();
    }

    @Test
    void decoratedTasksStillWaitingAreCancelledByShutdown() {
        var scheduler = started(it -> it.setTaskDecorator(decorator));
        ScheduledFuture<?> oneTime = scheduler.schedule(() -> {}, Instant.now().plus(AN_HOUR));
        ScheduledFuture<?> periodic =
                scheduler.scheduleAtFixedRate(() -> {}, Instant.now().plus(AN_HOUR), AN_HOUR);

        scheduler.shutdown();

        assertThat(oneTime.isCancelled()).isTrue();
        assertThat(periodic.isCancelled()).isTrue();
    }

    /** Carries a value from the thread that gives the task to the thread that runs it, as tracing libraries do. */
    private static final class ContextPassing implements TaskDecorator {

        private final ThreadLocal<@Nullable String> context = new ThreadLocal<>();
        private final List<Thread> decoratingThreads = new CopyOnWriteArrayList<>();
        private final List<Thread> runningThreads = new CopyOnWriteArrayList<>();
        private final AtomicInteger finished = new AtomicInteger();

        @Override
        public Runnable decorate(Runnable callback) {
            decoratingThreads.add(Thread.currentThread());
            String carried = context.get();
            return () -> {
                runningThreads.add(Thread.currentThread());
                context.set(carried);
                try {
                    callback.run();
                } finally {
                    context.remove();
                    finished.incrementAndGet();
                }
            };
        }

        String seenByTask() {
            String seen = context.get();
            return seen == null ? "nothing" : seen;
        }
    }
}
