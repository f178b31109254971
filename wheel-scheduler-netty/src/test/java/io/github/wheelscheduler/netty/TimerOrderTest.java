package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One task at a time, in the order in which they are due: many of them, of which some are due together. */
class TimerOrderTest {

    private static final int COUNT = 10_000;
    private static final int DELAYS = 40;

    /**
     * Long enough for the tick thread of a busy machine to know all of them before the first is due: else order is not
     * promised.
     */
    private static final int SHORTEST_MILLIS = 2_000;

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    /** When it was asked for, and for when: known up to the time that the call took. */
    private record Asked(int number, int delayMillis, long earliestNanos, long latestNanos) {}

    /**
     * @param isHeldUp whether all are due before the first one can run, so that they wait in a full group
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tasksRunInTheOrderInWhichTheyAreDue(boolean isHeldUp) {
        Seed.play(random -> {
            WheelNettyTimer timer = WheelNettyTimer.builder(executor).build();
            Gate gate = new Gate();
            if (isHeldUp) {
                timer.newTimeout(gate, 0, MILLISECONDS);
                gate.awaitArrival();
            }
            Asked[] asked = new Asked[COUNT];
            List<Integer> order = Collections.synchronizedList(new ArrayList<>(COUNT));
            for (int i = 0; i < COUNT; i++) {
                int number = i;
                int delayMillis = SHORTEST_MILLIS + 5 * random.nextInt(DELAYS);
                long delayNanos = MILLISECONDS.toNanos(delayMillis);
                long earliestNanos = System.nanoTime() + delayNanos;
                timer.newTimeout(timeout -> order.add(number), delayNanos, NANOSECONDS);
                asked[i] = new Asked(number, delayMillis, earliestNanos, System.nanoTime() + delayNanos);
            }
            if (isHeldUp) {
                Patience.awaitTime(Duration.ofMillis(SHORTEST_MILLIS + 5 * DELAYS + 50));
                assertThat(timer.pendingTimeouts()).isEqualTo(COUNT);
                gate.open();
            }
            awaitThat(() -> order.size() == COUNT);
            assertInDueOrder(order.stream().map(number -> asked[number]).toList());
            assertThat(timer.stop()).isEmpty();
        });
    }

    private void assertInDueOrder(List<Asked> order) {
        long tickNanos = executor.tick().toNanos();
        long earliestNanos = order.get(0).earliestNanos();
        int[] lastNumbers = new int[SHORTEST_MILLIS + 5 * DELAYS];
        for (Asked asked : order) {
            assertThat(asked.latestNanos() + tickNanos - earliestNanos)
                    .as("%s must not run after what is due later", asked)
                    .isNotNegative();
            if (asked.earliestNanos() - earliestNanos > 0) {
                earliestNanos = asked.earliestNanos();
            }
            assertThat(asked.number())
                    .as("%s was asked for after others of that delay", asked)
                    .isGreaterThanOrEqualTo(lastNumbers[asked.delayMillis()]);
            lastNumbers[asked.delayMillis()] = asked.number();
        }
    }
}
