package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No keyed timer is lost when memory runs out: a round for each kind of workers, 20 with -Pstress. */
class KeyedOutOfMemoryIT {

    private static final int ROUNDS = Scale.of(1, 20);

    /** Of a process that prints a line after each spell; a machine that does much else takes minutes for one. */
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void runningOutOfMemoryLosesNoKey(WorkerKind kind) {
        Seed.play(random -> {
            ChildJvm child = new ChildJvm(
                    "keyed-out-of-memory-" + kind,
                    KeyedOutOfMemoryChild.class,
                    List.of(kind.name(), String.valueOf(ROUNDS), String.valueOf(random.nextLong())));
            child.awaitSuccess(LONGEST_SILENCE);
        });
    }
}
