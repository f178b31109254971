package io.github.wheelscheduler.spring.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Timed;
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
@Timed
class ClockJumpIT {

    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "libfaketime.so.1";
    private static final int DEPTH = 4;
    private static final int ATTEMPTS = 5;
    private static final int NOTICED_WITHIN_MILLIS = 1_500;

    @Test
    void jumpIsNoticedWithinASecondAndAHalfInBothDirections() throws Exception {
        Optional<Path> library = findLibrary();
        if (library.isEmpty()) {
            System.out.println(
                    "ClockJumpIT: there is no " + LIBRARY + " here, so nothing is shown; it comes with faketime");
        }
        assumeTrue(library.isPresent(), "no faketime");
        long quickestForward = Long.MAX_VALUE;
        long quickestBack = Long.MAX_VALUE;
        // A machine that is busy with something else is given another chance.
        for (int i = 0; i < ATTEMPTS && Math.max(quickestForward, quickestBack) >= NOTICED_WITHIN_MILLIS; i++) {
            List<String> lines = jumpIfPossible(library.get(), i);
            quickestForward = Math.min(quickestForward, number(lines, "forward: .* within (\\d+) ms"));
            quickestBack = Math.min(quickestBack, number(lines, "back: .* within (\\d+) ms"));
            // Its next instant is two hours ahead by now.
            assertThat(number(lines, "after the jump back: (\\d+)")).isLessThanOrEqualTo(1);
            long instants = number(lines, "instants of the cron: (\\d+)");
            assertThat(number(lines, "different ones: (\\d+)"))
                    .isEqualTo(instants)
                    .isGreaterThan(3);
        }
        assertThat(quickestForward).isLessThan(NOTICED_WITHIN_MILLIS);
        assertThat(quickestBack).isLessThan(NOTICED_WITHIN_MILLIS);
    }

    /** The library holds up a thread for ever now and then that waits while the clock jumps back; not each time. */
    private static List<String> jumpIfPossible(Path library, int attempt) throws Exception {
        try {
            return jump(library);
        } catch (AssertionError ex) {
            if (attempt == ATTEMPTS - 1) {
                throw ex;
            }
            System.out.println("ClockJumpIT: tried again after " + ex.getMessage());
            return jumpIfPossible(library, attempt + 1);
        }
    }

    private static List<String> jump(Path library) throws Exception {
        Path offset = Path.of("target", "clock-jump-offset").toAbsolutePath();
        set(offset, "+0");
        ChildJvm child = new ChildJvm(
                "clock-jump",
                ClockJumpChild.class,
                List.of(),
                Map.of(
                        "LD_PRELOAD", library.toString(),
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
        return child.awaitSuccess(LIMIT);
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
