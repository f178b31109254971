package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The future of a trigger series stands for the occurrence that comes next. */
abstract class TriggerFutureContract extends SchedulerFixture {

    /** At once for the first time, and then an hour after each completion. */
    private static final Trigger NOW_THEN_HOURLY = context -> {
        Instant last = context.lastCompletion();
        return last == null ? context.getClock().instant() : last.plus(AN_HOUR);
    };

    private final SteadyClock clock = new SteadyClock();

    TriggerFutureContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void delayIsWhatIsLeftUntilTheNextOccurrence() {
        var scheduler = started(it -> it.setClock(clock));

        ScheduledFuture<?> future =
                scheduled(scheduler, () -> {}, context -> clock.instant().plus(AN_HOUR));

        assertThat(Duration.ofNanos(future.getDelay(TimeUnit.NANOSECONDS))).isBetween(AN_HOUR.minus(PATIENCE), AN_HOUR);
    }

    @Test
    void delayMovesOnToTheNextOccurrenceAfterARun() {
        var scheduler = started();
        var task = new RecordingTask();

        ScheduledFuture<?> future = scheduled(scheduler, task, NOW_THEN_HOURLY);

        await().until(() -> future.getDelay(TimeUnit.NANOSECONDS) > 0);
        assertThat(task.runs()).isEqualTo(1);
        assertThat(Duration.ofNanos(future.getDelay(TimeUnit.NANOSECONDS))).isBetween(AN_HOUR.minus(PATIENCE), AN_HOUR);
        assertThat(future.isDone()).isFalse();
        assertThat(future.isCancelled()).isFalse();
    }

    @Test
    void gettingWaitsForTheCurrentOccurrenceOnly() throws Exception {
        var scheduler = started();
        var held = new HeldTask();
        ScheduledFuture<?> future = scheduled(scheduler, held, NOW_THEN_HOURLY);
        held.awaitStart();

        var result = new CompletableFuture<Boolean>();
        var waiting = new Thread(() -> {
            try {
                future.get();
                result.complete(held.hasEnded());
            } catch (InterruptedException | ExecutionException e) {
                result.completeExceptionally(e);
            }
        });
        waiting.start();
        await().until(() ->
                Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(waiting.getState()));
        staysTrue(() -> !result.isDone());
        held.release();

        assertThat(result).succeedsWithin(PATIENCE).isEqualTo(true);
        waiting.join();
    }

    @Test
    void gettingWithALimitGivesUpBeforeAFarOccurrence() {
        var scheduler = started();
        ScheduledFuture<?> future =
                scheduled(scheduler, () -> {}, context -> Instant.now().plus(AN_HOUR));

        assertThatThrownBy(() -> future.get(30, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void seriesCancelledBeforeItsFirstRunNeverRuns() {
        var scheduler = started();
        var task = new RecordingTask();
        Instant instant = Instant.now().plusMillis(60);
        var trigger = new ObservedTrigger(context -> instant, 10);
        ScheduledFuture<?> future = scheduled(scheduler, task, trigger);

        boolean cancelled = future.cancel(false);
        assumeStillBefore(instant);

        assertThat(cancelled).isTrue();
        assertThat(future.isCancelled()).isTrue();
        assertThat(future.isDone()).isTrue();
        staysTrue(() -> !task.hasRun() && trigger.questions().size() == 1);
    }

    @Test
    void seriesCancelledDuringARunAsksItsTriggerNoMore() {
        var scheduler = started();
        var held = new HeldTask();
        var trigger = new ObservedTrigger(context -> Instant.now(), 10);
        ScheduledFuture<?> future = scheduled(scheduler, held, trigger);
        held.awaitStart();

        assertThat(future.cancel(false)).isTrue();
        held.release();

        held.awaitEnd();
        staysTrue(() -> trigger.questions().size() == 1);
        assertThat(future.isCancelled()).isTrue();
    }

    @Test
    void futuresOfTriggersCompareByTheirTime() {
        var scheduler = started();
        Instant now = Instant.now();
        ScheduledFuture<?> sooner = scheduled(scheduler, () -> {}, context -> now.plus(AN_HOUR));
        ScheduledFuture<?> later = scheduled(scheduler, () -> {}, context -> now.plus(AN_HOUR.multipliedBy(2)));

        assertThat(sooner.compareTo(later)).isNegative();
        assertThat(later.compareTo(sooner)).isPositive();
    }

    private static ScheduledFuture<?> scheduled(ThreadPoolTaskScheduler scheduler, Runnable task, Trigger trigger) {
        return Objects.requireNonNull(scheduler.schedule(task, trigger), "trigger never fires");
    }
}
