package io.github.wheelscheduler.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timeout;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Once a timer has been stopped, each thread begins one task at most, before which it had looked; all others are
 * returned.
 */
class LateStartsTest {

    private static final int ROUNDS = 40;
    private static final int TASKS = 200;
    private static final long TASK_NANOS = 200_000;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stoppedTimerBeginsNoFurtherTask(boolean isElsewhere) {
        ExecutorService own = Executors.newSingleThreadExecutor();
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
            for (int round = 0; round < ROUNDS; round++) {
                stopAmongTasks(executor, isElsewhere ? own : null, round);
            }
        } finally {
            own.shutdownNow();
        }
    }

    private static void stopAmongTasks(WheelScheduledExecutor executor, @Nullable ExecutorService own, int round) {
        WheelNettyTimerBuilder builder =
                WheelNettyTimer.builder(executor).name("timer-" + round).maxConcurrent(1);
        WheelNettyTimer timer = (own == null ? builder : builder.taskExecutor(own)).build();
        AtomicInteger late = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        AtomicBoolean hasReturned = new AtomicBoolean();
        AtomicInteger afterwards = new AtomicInteger();
        Set<Timeout> timeouts = new HashSet<>();
        for (int i = 0; i < TASKS; i++) {
            timeouts.add(timer.newTimeout(
                    timeout -> {
                        if (timer.toString().contains(", stopped,")) {
                            late.incrementAndGet();
                        }
                        if (hasReturned.get()) {
                            afterwards.incrementAndGet();
                        }
                        begun.incrementAndGet();
                        spin();
                    },
                    0,
                    MILLISECONDS));
        }
        while (begun.get() == 0) {
            Thread.onSpinWait();
        }
        LockSupport.parkNanos(MILLISECONDS.toNanos(round % 5));
        Set<Timeout> returned = timer.stop();
        hasReturned.set(true);
        assertThat(late).as("round %s", round).hasValueLessThanOrEqualTo(1);
        assertThat(returned).hasSize(TASKS - begun.get());
        assertThat(timeouts)
                .containsAll(returned)
                .filteredOn(Timeout::isExpired)
                .hasSize(begun.get());
        assertThat(afterwards).hasValue(0);
    }

    private static void spin() {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < TASK_NANOS) {
            Thread.onSpinWait();
        }
    }
}
