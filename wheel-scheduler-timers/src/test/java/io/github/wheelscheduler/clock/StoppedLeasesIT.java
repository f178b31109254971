package io.github.wheelscheduler.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Timed;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A process that is stopped for longer than its leases last tells all of them lost when it goes on, and renews none.
 */
@Timed
class StoppedLeasesIT {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int HALT_MILLIS = 10_000;
    private static final Pattern LINE =
            Pattern.compile("> (\\d+) of \\d+ lost, the last one (-?\\d+) ms after the halt; (\\d+) renewals .*");

    @Test
    void eachLeaseIsToldLostAndNoneIsRenewed() throws Exception {
        ChildJvm child = new ChildJvm("stopped-leases", StoppedLeasesChild.class, List.of());
        child.awaitLine(StoppedLeasesChild.READY, LIMIT);
        boolean isStopped = child.signal("-STOP");
        if (!isStopped) {
            System.out.println("StoppedLeasesIT: there is no kill here, so nothing is shown");
        }
        assumeTrue(isStopped, "no kill");
        // This is how long the other process does nothing; nobody is waited for.
        Thread.sleep(HALT_MILLIS);
        assertThat(child.signal("-CONT")).isTrue();
        List<String> lines = child.awaitSuccess(LIMIT);
        lines.forEach(System.out::println);
        MatchResult found = lines.stream()
                .flatMap(line -> LINE.matcher(line).results())
                .findFirst()
                .orElseThrow();
        assertThat(Integer.parseInt(found.group(1))).isEqualTo(StoppedLeasesChild.LEASES);
        assertThat(Long.parseLong(found.group(2))).isLessThan(2_000);
        assertThat(Integer.parseInt(found.group(3))).isZero();
    }
}
