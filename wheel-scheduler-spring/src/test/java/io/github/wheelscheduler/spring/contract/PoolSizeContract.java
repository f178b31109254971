package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * How many tasks run at once, and what is said about it.
 *
 * <p>Spring's scheduler answers {@code getPoolSize} and {@code getActiveCount} from its ScheduledThreadPoolExecutor.
 * Two of its answers are accidents of that and are not asked for here: it counts a worker that a paused scheduler
 * holds back as active, and how many idle threads it keeps.
 */
abstract class PoolSizeContract extends SchedulerFixture {

    PoolSizeContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void poolSizeBeforeInitializationIsTheOneThatWasSet() {
        var scheduler = created();
        scheduler.setPoolSize(3);

        assertThat(scheduler.getPoolSize()).isEqualTo(3);
        assertThat(scheduler.getActiveCount()).isZero();
    }

    @Test
    void activeCountIsTheNumberOfRunsInProgress() {
        var scheduler = started();
        assertThat(scheduler.getActiveCount()).isZero();

        List<HeldTask> held = hold(scheduler, 3);

        assertThat(scheduler.getActiveCount()).isEqualTo(3);
        assertThat(scheduler.getPoolSize()).isGreaterThanOrEqualTo(3);
        held.get(0).release();
        await().until(() -> scheduler.getActiveCount() == 2);
        held.forEach(HeldTask::release);
        await().until(() -> scheduler.getActiveCount() == 0);
    }

    @Test
    void waitingTasksAreNotActive() {
        var scheduler = started();

        var unused = scheduler.schedule(() -> {}, scheduler.getClock().instant().plus(AN_HOUR));

        await().until(() -> scheduler.getActiveCount() == 0);
        staysTrue(() -> scheduler.getActiveCount() == 0);
    }

    @Test
    void noMoreTasksRunAtOnceThanThePoolSizeSays() {
        var scheduler = started(it -> it.setPoolSize(2));
        List<HeldTask> held = hold(scheduler, 2);
        var third = new HeldTask();

        scheduler.execute(third);

        assertThat(third.startsWithin(A_WHILE)).isFalse();
        assertThat(scheduler.getActiveCount()).isEqualTo(2);
        assertThat(scheduler.getPoolSize()).isEqualTo(2);
        held.get(0).release();
        third.awaitStart();
    }

    @Test
    void raisingThePoolSizeLetsWaitingTasksStart() {
        var scheduler = started(it -> it.setPoolSize(1));
        hold(scheduler, 1);
        var second = new HeldTask();
        var third = new HeldTask();
        scheduler.execute(second);
        scheduler.execute(third);
        assertThat(second.startsWithin(A_WHILE)).isFalse();

        scheduler.setPoolSize(3);

        second.awaitStart();
        third.awaitStart();
        assertThat(scheduler.getActiveCount()).isEqualTo(3);
    }

    @Test
    void loweringThePoolSizeLosesNoTask() {
        var scheduler = started(it -> it.setPoolSize(6));
        List<HeldTask> held = hold(scheduler, 6);
        var runs = new AtomicInteger();
        for (int i = 0; i < 50; i++) {
            scheduler.execute(runs::incrementAndGet);
        }

        scheduler.setPoolSize(1);
        held.forEach(HeldTask::release);

        await().until(() -> runs.get() == 50);
        held.forEach(HeldTask::awaitEnd);
        assertThat(held).noneMatch(HeldTask::wasInterrupted);
    }

    @Test
    void loweredPoolSizeHoldsOnceTheRunsInProgressHaveEnded() {
        var scheduler = started(it -> it.setPoolSize(6));
        List<HeldTask> held = hold(scheduler, 6);

        scheduler.setPoolSize(1);
        held.forEach(HeldTask::release);

        await().until(() -> mostAtOnceOfABurst(scheduler) == 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void aPoolSizeIsAtLeastOne(int poolSize) {
        var fresh = created();
        var running = started();

        assertThatIllegalArgumentException().isThrownBy(() -> fresh.setPoolSize(poolSize));
        assertThatIllegalArgumentException().isThrownBy(() -> running.setPoolSize(poolSize));
        assertThat(running.submit(() -> "still here")).succeedsWithin(PATIENCE);
    }

    private static List<HeldTask> hold(ThreadPoolTaskScheduler scheduler, int count) {
        List<HeldTask> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            var task = new HeldTask();
            scheduler.execute(task);
            held.add(task);
        }
        held.forEach(HeldTask::awaitStart);
        return held;
    }

    private static int mostAtOnceOfABurst(ThreadPoolTaskScheduler scheduler) {
        var task = new RecordingTask(new SteadyClock(), Duration.ofMillis(10));
        for (int i = 0; i < 4; i++) {
            scheduler.execute(task);
        }
        return task.awaitRuns(4).mostAtOnce();
    }
}
