package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Under so much load that the tick thread wakes up for several timers at a time, and workers take them in batches. */
class CoalescedWakeUpsTest {

    private static final int TASKS = 50;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final WheelScheduledExecutor executor =
            stops.use(WheelScheduledExecutor.builder().build());
    private final AtomicLongArray runs = new AtomicLongArray(TASKS);

    private void startTasks() {
        for (int i = 0; i < TASKS; i++) {
            int index = i;
            WheelTimer<?> ignored =
                    executor.scheduleAtFixedRate(() -> runs.incrementAndGet(index), i, 500, MICROSECONDS);
        }
    }

    private void awaitRunsOfAll(int count) {
        long[] before = new long[TASKS];
        for (int i = 0; i < TASKS; i++) {
            before[i] = runs.get(i);
        }
        for (int i = 0; i < TASKS; i++) {
            int index = i;
            awaitThat(() -> runs.get(index) >= before[index] + count);
        }
    }

    @Test
    void runThatTakesLongHoldsUpNobodyOfItsBatch() {
        startTasks();
        awaitRunsOfAll(200);
        List<Gate> gates = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Gate gate = new Gate();
            gates.add(gate);
            WheelTimer<?> ignored = executor.schedule(gate, 500L * i, MICROSECONDS);
        }
        awaitThat(() -> executor.activeCount() >= gates.size());
        awaitRunsOfAll(200);
        gates.forEach(Gate::open);
        awaitRunsOfAll(200);
        assertThat(executor.workerCount()).isGreaterThanOrEqualTo(gates.size());
    }

    @Test
    void wakeUpsAreFewerThanDeadlines() {
        startTasks();
        awaitRunsOfAll(200);
        long wakeUpsBefore = executor.snapshot().tick().wakeUps();
        long runsBefore = runs.get(0);
        awaitRunsOfAll(2_000);
        long periods = runs.get(0) - runsBefore;
        // 50 deadlines a period, and at most two wake-ups by time; messages may cause some more.
        assertThat(executor.snapshot().tick().wakeUps() - wakeUpsBefore).isLessThan(10 * periods);
    }
}
