package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How far wake-ups are put off. */
class WakeUpBudgetTest {

    private static final long INTERVAL = 1_000;
    private static final int BURST = 4;

    @Test
    void fewWakeUpsComeWhenTheyAreWanted() {
        WakeUpBudget budget = new WakeUpBudget(INTERVAL, BURST, 0);
        for (long now = 0; now < 100 * INTERVAL; now += INTERVAL) {
            assertThat(budget.wakeUpAt(now + 1)).isEqualTo(now + 1);
            budget.wokeUp(now + 1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void manyWakeUpsComeOnceAnInterval(long origin) {
        WakeUpBudget budget = new WakeUpBudget(INTERVAL, BURST, origin);
        long now = origin;
        int wakeUps = 0;
        while (now - origin < 100 * INTERVAL) {
            now = budget.wakeUpAt(now + 1);
            budget.wokeUp(now);
            wakeUps++;
        }
        assertThat(wakeUps).isBetween(100, 100 + BURST + 1);
    }

    @Test
    void quietTimeRefillsTheBurstAndNotMore() {
        WakeUpBudget budget = new WakeUpBudget(INTERVAL, BURST, 0);
        long now = 1_000_000;
        for (int i = 0; i <= BURST; i++) {
            assertThat(budget.wakeUpAt(now)).isEqualTo(now);
            budget.wokeUp(now);
        }
        assertThat(budget.wakeUpAt(now)).isEqualTo(now + INTERVAL);
    }

    @Test
    void noWakeUpIsPutOffByMoreThanAnInterval() {
        Seed.play(random -> {
            WakeUpBudget budget = new WakeUpBudget(INTERVAL, BURST, 0);
            long now = 0;
            for (int i = 0; i < 10_000; i++) {
                long wanted = now + random.nextLong(random.nextBoolean() ? 10 : 10 * INTERVAL);
                long at = budget.wakeUpAt(wanted);
                assertThat(at).isBetween(wanted, Math.max(wanted, now + INTERVAL));
                // Woken by a message before, or too late.
                now = random.nextInt(3) == 0 ? now + random.nextLong(at - now + 1) : at + random.nextLong(50);
                budget.wokeUp(now);
            }
        });
    }
}
