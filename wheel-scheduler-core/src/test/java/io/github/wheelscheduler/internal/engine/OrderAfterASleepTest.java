package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Timers that have come while the tick thread slept, as many as do not wake it, run in the order in which they are due,
 * even if all are due when it wakes up.
 */
class OrderAfterASleepTest {

    /** A few less than wake the tick thread. */
    private static final int COUNT = 15_000;

    private static final int FIRST_MILLIS = 2_000;
    private static final int SPREAD_MILLIS = 200;

    private record Asked(int number, int delayMillis) {}

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timersRunInTheOrderInWhichTheyAreDue(boolean isGroup) {
        Seed.play(random -> {
            try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
                WheelScheduledExecutor executor = isGroup
                        ? time.executor
                                .newGroup("one")
                                .maxWorkers(1)
                                .onFull(OnFull.WAIT)
                                .build()
                        : time.executor;
                WheelTimer<?> first = executor.schedule(() -> {}, FIRST_MILLIS, MILLISECONDS);
                time.awaitQuiet();
                long parks = time.clock.parks();
                List<Asked> asked = new ArrayList<>();
                List<Asked> order = Collections.synchronizedList(new ArrayList<>());
                for (int i = 0; i < COUNT; i++) {
                    Asked one = new Asked(i, FIRST_MILLIS + random.nextInt(SPREAD_MILLIS));
                    asked.add(one);
                    WheelTimer<?> ignored = executor.schedule(() -> order.add(one), one.delayMillis(), MILLISECONDS);
                }
                assertThat(time.clock.parks())
                        .as("nobody has woken the tick thread")
                        .isEqualTo(parks);
                time.jump(Duration.ofMillis(FIRST_MILLIS + SPREAD_MILLIS));
                asked.sort(Comparator.comparingInt(Asked::delayMillis));
                assertThat(order).isEqualTo(asked);
                assertThat(first.isDone()).isTrue();
            }
        });
    }
}
