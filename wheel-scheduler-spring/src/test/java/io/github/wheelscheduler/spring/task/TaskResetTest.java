package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Giving a task back what its code says, and re-timing one that repeats by its code to run once. */
class TaskResetTest extends RegistryFixture {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final TaskSchedule HOURLY = TaskSchedule.fixedRate(HOUR);
    private static final String ID = "task";

    private final AtomicInteger runs = new AtomicInteger();

    private ScheduledFuture<?> hourly() {
        ScheduledFuture<?> task = registry.schedule(
                ID,
                runs::incrementAndGet,
                HOURLY,
                TaskSettings.builder().initialDelay(HOUR).build());
        assertThat(registry.get(ID).next()).isNotNull();
        return task;
    }

    private void runOnce() {
        int before = runs.get();
        registry.retime(ID, TaskSchedule.once(Instant.now()));
        awaitThat(() -> registry.get(ID).state() == TaskInfo.State.OVER);
        assertThat(runs.get()).isEqualTo(before + 1);
    }

    // Back to the code

    @Test
    void scheduleOfTheCodeIsGivenBack() {
        ScheduledFuture<?> task = hourly();
        registry.retime(ID, TaskSchedule.cron("0 0 3 1 1 *"));
        registry.pause(ID);
        registry.reset(ID);
        TaskInfo info = registry.get(ID);
        assertThat(info.schedule()).isEqualTo(HOURLY);
        assertThat(info.state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(info.next())
                .isBetween(Instant.now().plusSeconds(3_500), Instant.now().plusSeconds(3_600));
        assertThat(task.isDone()).isFalse();
    }

    @Test
    void taskThatWasOnlyPausedKeepsItsPhase() {
        ScheduledFuture<?> task = hourly();
        Instant next = registry.get(ID).next();
        registry.pause(ID);
        registry.reset(ID);
        assertThat(registry.get(ID).state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(Duration.between(next, registry.get(ID).next()).abs()).isLessThan(Duration.ofSeconds(1));
        assertThat(task.isDone()).isFalse();
    }

    @Test
    void taskDisabledBySettingsIsDisabledAgain() {
        ScheduledFuture<?> task = registry.schedule(
                ID,
                runs::incrementAndGet,
                HOURLY,
                TaskSettings.builder().enabled(false).build());
        registry.retime(ID, TaskSchedule.fixedDelay(Duration.ofMillis(1)));
        awaitThat(() -> runs.get() > 0);
        registry.reset(ID);
        assertThat(registry.get(ID).state()).isIn(TaskInfo.State.DISABLED, TaskInfo.State.RUNNING);
        awaitThat(() -> registry.get(ID).state() == TaskInfo.State.DISABLED);
        assertThat(registry.get(ID).schedule()).isEqualTo(HOURLY);
        registry.resume(ID);
        assertThat(registry.get(ID).state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(task.cancel(false)).isTrue();
    }

    @Test
    void pauseAfterFailuresEndsAndFailuresCountAnew() {
        ScheduledFuture<?> task = registry.schedule(
                ID,
                () -> {
                    runs.incrementAndGet();
                    throw new IllegalStateException("as it must");
                },
                TaskSchedule.fixedRate(Duration.ofMillis(1)),
                TaskSettings.builder().pauseAfterFailures(2).build());
        awaitThat(() -> registry.get(ID).pausedAfterFailures());
        assertThat(runs.get()).isEqualTo(2);
        registry.reset(ID);
        awaitThat(() -> runs.get() == 4);
        awaitThat(() -> registry.get(ID).pausedAfterFailures());
        assertThat(task.cancel(false)).isTrue();
    }

    @Test
    void oneTimeTaskHasItsInstantBackUnlessThatHasPassed() {
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
        ScheduledFuture<?> task = registry.schedule(ID, runs::incrementAndGet, TaskSchedule.once(tomorrow));
        registry.retime(ID, HOURLY);
        registry.reset(ID);
        assertThat(registry.get(ID).schedule()).isEqualTo(TaskSchedule.once(tomorrow));
        assertThat(task.cancel(false)).isTrue();

        Instant past = Instant.now().minusSeconds(10);
        registry.pause(scheduleHeld(past));
        registry.retime(ID, HOURLY);
        assertThatIllegalStateException().isThrownBy(() -> registry.reset(ID)).withMessageContaining(past.toString());
        assertThat(registry.get(ID).schedule()).isEqualTo(HOURLY);
        assertThat(registry.get(ID).state()).isEqualTo(TaskInfo.State.PAUSED);
    }

    private String scheduleHeld(Instant past) {
        scheduler.stop();
        ScheduledFuture<?> unused = registry.schedule(ID, runs::incrementAndGet, TaskSchedule.once(past));
        registry.pause(ID);
        scheduler.start();
        return ID;
    }

    @Test
    void taskThatIsOverHasNothingToGiveBack() {
        ScheduledFuture<?> task = registry.schedule(ID, runs::incrementAndGet, TaskSchedule.once(Instant.now()));
        awaitThat(() -> task.isDone());
        assertThatIllegalStateException().isThrownBy(() -> registry.reset(ID)).withMessageContaining(ID);
        assertThatExceptionOfType(UnknownTaskException.class).isThrownBy(() -> registry.reset("none"));
    }

    // Once, though it repeats by its code

    @Test
    void taskThatRepeatsByItsCodeStaysWhenItHasRunOnce() {
        ScheduledFuture<?> task = scheduler.scheduleAtFixedRate(
                runs::incrementAndGet, Instant.now().plus(HOUR), HOUR);
        String id = registry.ids().get(0);
        registry.retime(id, TaskSchedule.once(Instant.now()));
        awaitThat(() -> registry.get(id).state() == TaskInfo.State.OVER);
        assertThat(registry.ids()).containsExactly(id);
        assertThat(task.isDone()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> registry.trigger(id));
        assertThatIllegalStateException().isThrownBy(() -> registry.pause(id));
        assertThatIllegalStateException().isThrownBy(() -> registry.resume(id));
        registry.retime(id, TaskSchedule.once(Instant.now()));
        awaitThat(() -> runs.get() == 2);
        awaitThat(() -> registry.get(id).state() == TaskInfo.State.OVER);
        registry.reset(id);
        assertThat(registry.get(id).schedule()).isEqualTo(HOURLY);
        assertThat(registry.get(id).state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(task.cancel(false)).isTrue();
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void runThatFailsIsNotTheEndEither() {
        ScheduledFuture<?> task = registry.schedule(
                ID,
                () -> {
                    throw new IllegalStateException("as it must");
                },
                HOURLY,
                TaskSettings.builder().initialDelay(HOUR).build());
        registry.retime(ID, TaskSchedule.once(Instant.now()));
        awaitThat(() -> registry.get(ID).failures() == 1);
        awaitThat(() -> registry.get(ID).state() == TaskInfo.State.OVER);
        registry.reset(ID);
        assertThat(registry.get(ID).state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(task.isDone()).isFalse();
    }

    @Test
    void taskIsForgottenWhenItsFutureIsCancelled() {
        ScheduledFuture<?> task = hourly();
        runOnce();
        assertThat(task.cancel(false)).isTrue();
        assertThat(task.cancel(false)).isFalse();
        assertThat(task.isCancelled()).isTrue();
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void oneOfTwoCancelsAtOnceWins() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < 200; i++) {
            ScheduledFuture<?> task = hourly();
            registry.retime(ID, TaskSchedule.once(Instant.now()));
            if (i % 2 == 0) {
                awaitThat(() -> registry.get(ID).state() == TaskInfo.State.OVER);
            }
            CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> cancelAfter(start, task));
            boolean won = cancelAfter(start, task);
            assertThat(other.get(60, TimeUnit.SECONDS)).isNotEqualTo(won);
        }
    }

    private static boolean cancelAfter(CyclicBarrier start, ScheduledFuture<?> task) {
        try {
            start.await(60, TimeUnit.SECONDS);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
        return task.cancel(false);
    }

    @Test
    void shutdownEndsIt() {
        ScheduledFuture<?> task = hourly();
        runOnce();
        scheduler.shutdown();
        assertThat(task.isCancelled()).isTrue();
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void shutdownBeforeItsOnlyRunEndsItToo() {
        ScheduledFuture<?> task = hourly();
        registry.retime(ID, TaskSchedule.once(Instant.now().plus(HOUR)));
        scheduler.shutdown();
        assertThat(task.isDone()).isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(task::get);
    }
}
