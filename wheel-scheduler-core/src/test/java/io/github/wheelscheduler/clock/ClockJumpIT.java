package io.github.wheelscheduler.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The wall clock of a process jumps while its monotonic clock goes on, by the library {@code faketime}. */
class ClockJumpIT {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "libfaketime.so.1";
    private static final int DEPTH = 4;
    private static final int NOTICED_WITHIN_MILLIS = 1_500;

    @Test
    void aJumpIsNoticedWithinASecondAndAHalfInBothDirections() throws Exception {
        Optional<Path> library = findLibrary();
        if (library.isEmpty()) {
            System.out.println(
                    "ClockJumpIT: there is no " + LIBRARY + " here, so nothing is shown; it comes with faketime");
        }
        assumeTrue(library.isPresent(), "no faketime");
        Path offset = Path.of("target", "clock-jump-offset").toAbsolutePath();
        set(offset, "+0");
        ChildJvm child = new ChildJvm(
                "clock-jump",
                ClockJumpChild.class,
                List.of(),
                Map.of(
                        "LD_PRELOAD", library.get().toString(),
                        "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                        "FAKETIME_NO_CACHE", "1",
                        // Else a wait that is going on when the clock jumps back may last until it is where it was.
                        "FAKETIME_FORCE_MONOTONIC_FIX", "1",
                        "DONT_FAKE_MONOTONIC", "1",
                        "FAKETIME_DONT_FAKE_MONOTONIC", "1"));
        child.awaitLine(ClockJumpChild.FORWARD, LIMIT);
        set(offset, "+3600");
        child.awaitLine(ClockJumpChild.BACK, LIMIT);
        set(offset, "-3600");
        List<String> lines = child.awaitSuccess(LIMIT);
        assertThat(number(lines, "forward: .* within (\\d+) ms")).isLessThan(NOTICED_WITHIN_MILLIS);
        assertThat(number(lines, "back: .* within (\\d+) ms")).isLessThan(NOTICED_WITHIN_MILLIS);
        // Its next instant is two hours ahead by now.
        assertThat(number(lines, "after the jump back: (\\d+)")).isLessThanOrEqualTo(1);
        long instants = number(lines, "instants of the cron: (\\d+)");
        assertThat(number(lines, "different ones: (\\d+)")).isEqualTo(instants).isGreaterThan(3);
    }

    /** As a whole: the process reads it all the time. */
    private static void set(Path offset, String seconds) throws IOException {
        Path written = offset.resolveSibling("clock-jump-offset-next");
        Files.writeString(written, seconds + System.lineSeparator());
        Files.move(written, offset, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Optional<Path> findLibrary() throws IOException {
        if (!Files.isDirectory(LIBRARIES)) {
            return Optional.empty();
        }
        try (Stream<Path> found = Files.find(
                LIBRARIES,
                DEPTH,
                (path, attributes) -> path.getFileName().toString().equals(LIBRARY))) {
            return found.findFirst();
        }
    }

    private static long number(List<String> lines, String pattern) {
        MatchResult found = lines.stream()
                .flatMap(line -> Pattern.compile(pattern).matcher(line).results())
                .findFirst()
                .orElseThrow();
        return Long.parseLong(found.group(1));
    }
}
