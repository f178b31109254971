package io.github.wheelscheduler.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * No run in a full group stays there for ever when memory runs out: once, and at full length until an error has skipped
 * handlers in so many virtual machines.
 */
class FullGroupOutOfMemoryIT {

    private static final int ENOUGH = Scale.of(0, 20);
    private static final int MOST = Scale.of(1, 400);
    private static final int SPELLS = Scale.of(5, 20);

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void errorsThatSkipHandlersLeaveNoRunBehind() throws Exception {
        int seen = 0;
        int played = 0;
        while (played == 0 || (seen < ENOUGH && played < MOST)) {
            played++;
            ChildJvm child = new ChildJvm(
                    "full-group-out-of-memory", FullGroupOutOfMemoryChild.class, List.of(String.valueOf(SPELLS)));
            List<String> summary = child.awaitSuccess(Duration.ofMinutes(3));
            seen += summary.stream().anyMatch(line -> line.startsWith(FullGroupOutOfMemoryChild.SKIPPED)) ? 1 : 0;
        }
        System.out.println("> in " + seen + " of " + played + " virtual machines an error has skipped handlers");
        assertThat(seen).isGreaterThanOrEqualTo(ENOUGH);
    }
}
