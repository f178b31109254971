package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A caller that has no stack left fails, and leaves no key half set or moved. */
class EndOfStackKeysIT {

    /** They are most of what an error costs. */
    private static final String SHORT_TRACES = "-XX:MaxJavaStackTraceDepth=4";

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:+TieredCompilation"})
    void keysAreMovedWhollyOrNotAtAll(String mode) throws Exception {
        String name = "end-of-stack-keys" + mode.replace(':', '-');
        new ChildJvm(
                        name,
                        List.of(mode, SHORT_TRACES),
                        EndOfStackKeysChild.class,
                        List.of(String.valueOf(Scale.of(1, 12))))
                .awaitSuccess(Duration.ofMinutes(3));
    }
}
