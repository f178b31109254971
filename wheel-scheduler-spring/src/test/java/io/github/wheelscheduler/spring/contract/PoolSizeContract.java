package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
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
}
