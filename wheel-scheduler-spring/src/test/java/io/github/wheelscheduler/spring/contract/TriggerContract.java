package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** Series that a {@link Trigger} times: when the runs come, what the trigger is told, and how a series ends. */
abstract class TriggerContract extends SchedulerFixture {

    private final SteadyClock clock = new SteadyClock();

    TriggerContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void cronRunsOnceASecondAtFullSeconds() {
        var shortBeforeTheSecond = new SteadyClock(Instant.parse("2100-02-28T23:59:58.900Z"));
        var scheduler = started(it -> it.setClock(shortBeforeTheSecond));
        var task = new RecordingTask(shortBeforeTheSecond);
        var cron = new ObservedTrigger(new CronTrigger("* * * * * *"), 2);

        Future<?> future = scheduled(scheduler, task, cron);
        Instant asked = shortBeforeTheSecond.instant();
        awaitDone(future);

        assertThat(task.runs()).isEqualTo(2);
        assertNoRunIsEarly(task, cron);
        // A machine that stalls asks later than shortly before the second.
        Instant first = answer(cron, 0);
        Instant second = answer(cron, 1);
        assertThat(first).isBetween(Instant.parse("2100-02-28T23:59:59Z"), asked.plusSeconds(1));
        assertThat(second)
                .isAfterOrEqualTo(Instant.parse("2100-03-01T00:00:00Z"))
                .isAfterOrEqualTo(first.plusSeconds(1));
        assertThat(List.of(first, second)).allMatch(instant -> instant.equals(instant.truncatedTo(ChronoUnit.SECONDS)));
    }

    @Test
    void periodicTriggerWithADelayCountsFromTheEndOfARun() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock, Duration.ofMillis(30));

        awaitDone(scheduled(scheduler, task, new ObservedTrigger(new PeriodicTrigger(PERIOD), 4)));

        assertThat(task.runs()).isEqualTo(4);
        for (int i = 1; i < task.runs(); i++) {
            assertThat(task.starts().get(i))
                    .isAfterOrEqualTo(task.ends().get(i - 1).plus(PERIOD));
        }
    }

    @Test
    void periodicTriggerAtARateCountsFromTheScheduledTime() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock, Duration.ofMillis(10));
        var rate = new PeriodicTrigger(PERIOD);
        rate.setFixedRate(true);
        var observed = new ObservedTrigger(rate, 4);

        awaitDone(scheduled(scheduler, task, observed));

        assertThat(task.runs()).isEqualTo(4);
        assertNoRunIsEarly(task, observed);
        for (int i = 1; i < 4; i++) {
            assertThat(observed.questions().get(i).answer())
                    .isEqualTo(answer(observed, i - 1).plus(PERIOD));
        }
    }

    @Test
    void periodicTriggerWaitsForItsInitialDelay() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock);
        var trigger = new PeriodicTrigger(AN_HOUR);
        trigger.setInitialDelay(Duration.ofMillis(70));
        Instant before = clock.instant();

        var unused = scheduled(scheduler, task, trigger);

        assertThat(task.awaitRuns(1).starts().get(0)).isAfterOrEqualTo(before.plusMillis(70));
    }

    @Test
    void customTriggerRunsTheTaskAtExactlyItsInstants() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock);
        List<Instant> instants = List.of(
                clock.instant().plusMillis(20),
                clock.instant().plusMillis(90),
                clock.instant().plusMillis(91));
        var calls = new AtomicInteger();
        var trigger = new ObservedTrigger(context -> instants.get(calls.getAndIncrement()), instants.size());

        awaitDone(scheduled(scheduler, task, trigger));

        assertThat(task.runs()).isEqualTo(3);
        assertNoRunIsEarly(task, trigger);
    }

    @Test
    void contextKnowsTheClockAloneBeforeTheFirstRun() {
        var scheduler = started(it -> it.setClock(clock));
        var trigger = new ObservedTrigger(context -> clock.instant().plus(AN_HOUR), 1);

        var unused = scheduled(scheduler, () -> {}, trigger);

        assertThat(trigger.questions()).singleElement().satisfies(question -> {
            assertThat(question.clock()).isSameAs(clock);
            assertThat(question.lastScheduled()).isNull();
            assertThat(question.lastActual()).isNull();
            assertThat(question.lastCompletion()).isNull();
        });
    }

    @Test
    void contextHasTheRealTimesAfterARun() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock, Duration.ofMillis(60));
        var trigger = new ObservedTrigger(context -> clock.instant().plusMillis(30), 3);

        awaitDone(scheduled(scheduler, task, trigger));

        assertThat(trigger.questions()).hasSize(4);
        for (int i = 1; i <= 3; i++) {
            var question = trigger.questions().get(i);
            assertThat(question.clock()).isSameAs(clock);
            assertThat(question.lastScheduled()).isEqualTo(answer(trigger, i - 1));
            assertThat(question.lastActual())
                    .isBetween(answer(trigger, i - 1), task.starts().get(i - 1));
            assertThat(question.lastCompletion()).isBetween(task.ends().get(i - 1), question.asked());
        }
    }

    @Test
    void actualTimeOfALateRunIsWhenItReallyBegan() {
        var scheduler = started(it -> it.setClock(clock));
        Instant before = clock.instant();
        var trigger = new ObservedTrigger(context -> before.minus(AN_HOUR), 1);

        awaitDone(scheduled(scheduler, () -> {}, trigger));

        assertThat(trigger.questions().get(1).lastScheduled()).isEqualTo(before.minus(AN_HOUR));
        assertThat(trigger.questions().get(1).lastActual()).isAfterOrEqualTo(before);
    }

    @Test
    void failedRunHasACompletionTimeToo() {
        var scheduler = started(it -> {
            it.setClock(clock);
            it.setErrorHandler(failure -> {});
        });
        var task = new RecordingTask(clock, Duration.ofMillis(20));
        var trigger = new ObservedTrigger(context -> clock.instant(), 1);

        awaitDone(scheduled(
                scheduler,
                () -> {
                    task.run();
                    throw new IllegalStateException("run fails");
                },
                trigger));

        assertThat(trigger.questions().get(1).lastCompletion())
                .isAfterOrEqualTo(task.ends().get(0));
    }

    @Test
    void triggerIsAskedOnlyAfterTheRunHasEnded() {
        var scheduler = started();
        var held = new HeldTask();
        var trigger = new ObservedTrigger(context -> Instant.now(), 1);
        Future<?> future = scheduled(scheduler, held, trigger);
        held.awaitStart();

        staysTrue(() -> trigger.questions().size() == 1);
        held.release();

        awaitDone(future);
        assertThat(trigger.questions()).hasSize(2);
    }

    @Test
    void triggerThatNeverFiresGivesNoFuture() {
        var scheduler = started();
        var task = new RecordingTask();

        ScheduledFuture<?> future = scheduler.schedule(task, context -> null);

        assertThat((Object) future).isNull();
        staysTrue(() -> !task.hasRun());
    }

    @Test
    void triggerThatFiresNoMoreEndsItsSeriesOrderly() {
        var scheduler = started();
        var task = new RecordingTask();

        Future<?> future = scheduled(scheduler, task, new ObservedTrigger(context -> Instant.now(), 2));

        awaitDone(future);
        assertYieldsNull(future);
        staysTrue(() -> task.runs() == 2);
    }

    @Test
    void triggerThatFailsAtOnceFailsTheCall() {
        var scheduler = started();
        var failure = new IllegalStateException("trigger fails");
        var task = new RecordingTask();
        Trigger trigger = context -> {
            throw failure;
        };

        assertThatThrownBy(() -> scheduler.schedule(task, trigger)).isSameAs(failure);
        staysTrue(() -> !task.hasRun());
    }

    @Test
    void triggerThatFailsLaterEndsItsOwnSeriesAndNoOther() {
        var scheduler = started(it -> it.setPoolSize(1));
        var task = new RecordingTask();
        var other = new RecordingTask();
        var unused = scheduled(scheduler, other, new PeriodicTrigger(PERIOD));

        Future<?> future = scheduled(scheduler, task, context -> {
            if (context.lastCompletion() != null) {
                throw new IllegalStateException("trigger fails after the first run");
            }
            return Instant.now();
        });

        awaitDone(future);
        other.awaitRuns(other.runs() + 3);
        assertThat(task.runs()).isEqualTo(1);
        assertThat(scheduler.submit(() -> "still here")).succeedsWithin(PATIENCE);
    }

    @Test
    void eachSeriesHasAContextOfItsOwn() {
        var scheduler = started(it -> it.setClock(clock));
        var trigger = new ObservedTrigger(context -> clock.instant().plus(AN_HOUR), 2);

        var unused = List.of(scheduled(scheduler, () -> {}, trigger), scheduled(scheduler, () -> {}, trigger));

        assertThat(trigger.questions())
                .hasSize(2)
                .allSatisfy(question -> assertThat(question.lastCompletion()).isNull());
    }

    @Test
    void runsOfASeriesSeeWhatTheRunsBeforeThemDid() {
        var scheduler = started();
        var torn = new AtomicBoolean();
        // Deliberately plain fields: one run at a time, each ordered after the one before.
        var counts = new int[2];

        awaitDone(scheduled(
                scheduler,
                () -> {
                    torn.compareAndSet(false, counts[0] != counts[1]);
                    counts[0]++;
                    counts[1]++;
                },
                new ObservedTrigger(context -> Instant.EPOCH, 500)));

        assertThat(torn).isFalse();
        assertThat(counts).containsExactly(500, 500);
    }

    private static Future<?> scheduled(ThreadPoolTaskScheduler scheduler, Runnable task, Trigger trigger) {
        return Objects.requireNonNull(scheduler.schedule(task, trigger), "trigger never fires");
    }

    private static Instant answer(ObservedTrigger trigger, int index) {
        return Objects.requireNonNull(trigger.questions().get(index).answer());
    }

    private static void assertNoRunIsEarly(RecordingTask task, ObservedTrigger trigger) {
        for (int i = 0; i < task.runs(); i++) {
            assertThat(task.starts().get(i)).as("run %d", i).isAfterOrEqualTo(answer(trigger, i));
        }
    }
}
