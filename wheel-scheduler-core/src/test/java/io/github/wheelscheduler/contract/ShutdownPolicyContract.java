package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of delayed and of periodic tasks after {@code shutdown}, by the two policies and by default. */
abstract class ShutdownPolicyContract extends ContractFixture {

    ShutdownPolicyContract(Subject subject) {
        super(subject);
    }

    @Test
    void delayedTasksStillRunByDefault() throws InterruptedException {
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", 60, MILLISECONDS);
        ScheduledFuture<String> later = executor.schedule(() -> "later", 90, MILLISECONDS);

        executor.shutdown();

        assertTerminates(executor);
        assertThat(delayed.isDone() && later.isDone()).isTrue();
        assertThat(result(delayed)).isEqualTo("delayed");
        assertThat(result(later)).isEqualTo("later");
    }

    @ParameterizedTest
    @EnumSource
    void periodicTasksAreCancelledByDefault(Repetition repetition) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> running = repetition.start(executor, runs::incrementAndGet);
        ScheduledFuture<?> waiting = repetition.start(executor, runs::incrementAndGet, 1, 1, HOURS);
        Caller<?> waiter = Caller.call(waiting::get).awaitBlocked();
        eventually(() -> runs.get() > 2);

        executor.shutdown();

        assertTerminates(executor);
        awaitCancelled(running);
        awaitCancelled(waiting);
        assertThat(waiter.failure()).isInstanceOf(CancellationException.class);
        int seen = runs.get();
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(20));
        assertThat(runs).hasValue(seen);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void eachPolicyDecidesForItsOwnKind(boolean executeDelayed, boolean continuePeriodic) throws InterruptedException {
        subject.setExecuteExistingDelayedTasksAfterShutdownPolicy(executor, executeDelayed);
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, continuePeriodic);
        AtomicInteger rateRuns = new AtomicInteger();
        AtomicInteger delayRuns = new AtomicInteger();
        ScheduledFuture<?> rate = executor.scheduleAtFixedRate(rateRuns::incrementAndGet, 0, 2, MILLISECONDS);
        ScheduledFuture<?> delay = executor.scheduleWithFixedDelay(delayRuns::incrementAndGet, 0, 2, MILLISECONDS);
        long far = HOURS.toMillis(1);
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", executeDelayed ? 80 : far, MILLISECONDS);
        ScheduledFuture<?> runnable = executor.schedule(() -> {}, executeDelayed ? 70 : far, MILLISECONDS);
        eventually(() -> rateRuns.get() > 2 && delayRuns.get() > 2);

        executor.shutdown();

        if (executeDelayed) {
            assertThat(result(delayed)).isEqualTo("delayed");
            assertThat((Object) result(runnable)).isNull();
        } else {
            awaitCancelled(delayed);
            awaitCancelled(runnable);
        }
        if (continuePeriodic) {
            int rateSeen = rateRuns.get();
            int delaySeen = delayRuns.get();
            eventually(() -> rateRuns.get() > rateSeen + 3 && delayRuns.get() > delaySeen + 3);
            assertPending(rate);
            assertPending(delay);
            assertThat(executor.isTerminated()).isFalse();
            assertThat(rate.cancel(false)).isTrue();
            assertThat(delay.cancel(false)).isTrue();
        } else {
            awaitCancelled(rate);
            awaitCancelled(delay);
        }
        assertTerminates(executor);
    }

    @Test
    void delayThatIsOverAlreadyIsNoLongerADelay() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        subject.setExecuteExistingDelayedTasksAfterShutdownPolicy(single, false);
        HeldTask held = hold(single);
        ScheduledFuture<String> overdue = single.schedule(() -> "overdue", 2, MILLISECONDS);
        ScheduledFuture<String> atOnce = single.schedule(() -> "at once", 0, MILLISECONDS);
        ScheduledFuture<String> far = single.schedule(() -> "far", 1, HOURS);
        // Not only by the clock: who makes tasks ready may be late.
        eventually(() -> subject.countDue(single) == 2);

        single.shutdown();

        awaitCancelled(far);
        held.release();
        assertThat(result(overdue)).isEqualTo("overdue");
        assertThat(result(atOnce)).isEqualTo("at once");
        assertTerminates(single);
    }

    @ParameterizedTest
    @EnumSource
    void runUnderWayEndsUndisturbedAndIsTheLast(Repetition repetition) throws InterruptedException {
        HeldTask held = heldTask();
        ScheduledFuture<?> future = repetition.start(executor, held::run);
        await(held.begun);

        executor.shutdown();

        assertStaysUntouched(held.ended);
        assertThat(executor.isTerminated()).isFalse();
        held.release();
        assertTerminates(executor);
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(held.runs).hasValue(1);
        awaitCancelled(future);
    }

    @Test
    void takingTheDelayedPolicyBackAfterShutdownCancelsThem() throws InterruptedException {
        ScheduledFuture<String> far = executor.schedule(() -> "far", 1, HOURS);
        executor.shutdown();
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();
        assertPending(far);

        subject.setExecuteExistingDelayedTasksAfterShutdownPolicy(executor, false);

        awaitCancelled(far);
        assertTerminates(executor);
    }

    @ParameterizedTest
    @EnumSource
    void periodicPolicySetBackAfterShutdownCancels(Repetition repetition) throws InterruptedException {
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> often = repetition.start(executor, runs::incrementAndGet);
        ScheduledFuture<?> far = repetition.start(executor, runs::incrementAndGet, 1, 1, HOURS);
        executor.shutdown();
        int seen = runs.get();
        eventually(() -> runs.get() > seen + 2);
        assertPending(often);
        assertPending(far);

        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, false);

        awaitCancelled(often);
        awaitCancelled(far);
        assertTerminates(executor);
    }

    @Test
    void takingBackOnePolicyLeavesTheOtherKindAlone() throws InterruptedException {
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        ScheduledFuture<String> delayed = executor.schedule(() -> "far", 1, HOURS);
        executor.shutdown();

        subject.setExecuteExistingDelayedTasksAfterShutdownPolicy(executor, false);

        awaitCancelled(delayed);
        assertPending(series);
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, false);
        awaitCancelled(series);
        assertTerminates(executor);
    }

    @Test
    void cancellingTheLastTaskThatIsWaitedForTerminates() throws InterruptedException {
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        ScheduledFuture<String> delayed = executor.schedule(() -> "far", 1, HOURS);
        executor.shutdown();
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();

        assertThat(delayed.cancel(false)).isTrue();
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();
        assertThat(series.cancel(false)).isTrue();

        assertTerminates(executor);
    }

    @Test
    void tasksCancelledBeforeShutdownAreNotWaitedFor() throws InterruptedException {
        for (ScheduledFuture<?> each : List.of(
                executor.schedule(() -> {}, 1, HOURS),
                executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS),
                executor.scheduleWithFixedDelay(() -> {}, 1, 1, HOURS))) {
            assertThat(each.cancel(false)).isTrue();
        }
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);

        executor.shutdown();

        assertTerminates(executor);
    }

    @ParameterizedTest
    @EnumSource
    void failureEndsASeriesThatGoesOnAfterShutdown(Repetition repetition) throws InterruptedException {
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);
        IllegalStateException failure = new IllegalStateException("on purpose");
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> future = repetition.start(executor, () -> {
            if (runs.incrementAndGet() > 10) {
                throw failure;
            }
        });

        executor.shutdown();

        awaitFailed(future, failure);
        assertTerminates(executor);
        assertThat(runs).hasValue(11);
    }
}
