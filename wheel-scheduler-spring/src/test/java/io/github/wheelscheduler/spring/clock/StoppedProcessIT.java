package io.github.wheelscheduler.spring.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Timed;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A process that is stopped for ten seconds: what each policy runs afterwards, and what Spring's scheduler runs. */
@Timed
class StoppedProcessIT {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int HALT_MILLIS = 10_000;
    private static final Pattern LINE = Pattern.compile("> (.+): (\\d+) runs, (\\d+) of them within .*, (\\d+) missed");
    private static final Pattern LATE =
            Pattern.compile("> late: (\\d+) runs, as the tick thread overslept by (\\d+) ms");

    @Test
    void eachPolicyRunsWhatItSaysAndKeepsCount() throws Exception {
        ChildJvm child = new ChildJvm("stopped-process", StoppedProcessChild.class, List.of());
        child.awaitLine(StoppedProcessChild.READY, LIMIT);
        boolean isStopped = child.signal("-STOP");
        if (!isStopped) {
            System.out.println("StoppedProcessIT: there is no kill here, so nothing is shown");
        }
        assumeTrue(isStopped, "no kill");
        // This is how long the other process does nothing; nobody is waited for.
        Thread.sleep(HALT_MILLIS);
        assertThat(child.signal("-CONT")).isTrue();
        List<String> lines = child.awaitSuccess(LIMIT);
        long springs = number(lines, "Spring's ThreadPoolTaskScheduler", 2);
        long all = springs;
        assertThat(number(lines, "Spring's ThreadPoolTaskScheduler", 3)).isGreaterThanOrEqualTo(9);
        for (String policy : List.of("CATCH_UP", "LATEST", "SKIP")) {
            // A deadline may lie between the looks at two of them.
            assertThat(number(lines, policy, 2) + number(lines, policy, 4))
                    .as(policy)
                    .isBetween(all - 1, all + 1);
        }
        // The one that was due next, the ones that are made up, and one in phase may be due just then.
        assertThat(number(lines, "CATCH_UP", 3)).isBetween(1L, 1L + StoppedProcessChild.MAX_CATCH_UP + 1);
        assertThat(number(lines, "LATEST", 3)).isBetween(1L, 2L);
        assertThat(number(lines, "SKIP", 3)).isBetween(0L, 1L);
        assertThat(number(lines, "SKIP", 4)).isGreaterThanOrEqualTo(8);
        MatchResult late = find(lines, LATE, result -> true);
        // One of each policy: what is made up is not late by the tick thread's doing.
        assertThat(Long.parseLong(late.group(1))).isBetween(1L, (long) MissedRuns.values().length);
        assertThat(Long.parseLong(late.group(2))).isGreaterThan(HALT_MILLIS / 2);
    }

    private static long number(List<String> lines, String name, int group) {
        return Long.parseLong(
                find(lines, LINE, result -> result.group(1).equals(name)).group(group));
    }

    private static MatchResult find(List<String> lines, Pattern pattern, Predicate<MatchResult> which) {
        return lines.stream()
                .flatMap(line -> pattern.matcher(line).results())
                .filter(which)
                .findFirst()
                .orElseThrow();
    }
}
