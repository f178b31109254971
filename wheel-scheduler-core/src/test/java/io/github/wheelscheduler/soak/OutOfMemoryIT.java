package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing that was accepted is lost when memory runs out: two rounds for each kind of workers, 20 in the long form. */
class OutOfMemoryIT {

    /**
     * Of a process that prints a line several times in each round; a machine that does much else takes minutes for one.
     */
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);

    private static final int ROUNDS = SoakLength.isLong() ? 20 : 2;

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void runningOutOfMemoryLosesNothing(WorkerKind kind) {
        Seed.play(random -> {
            ChildJvm child = new ChildJvm(
                    "out-of-memory-" + kind,
                    OutOfMemoryChild.class,
                    List.of(kind.name(), String.valueOf(ROUNDS), String.valueOf(random.nextLong())));
            child.awaitSuccess(LONGEST_SILENCE);
        });
    }
}
