package io.github.wheelscheduler.spring.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code that moves something of its own before a timer, at the end of a stack, leaves nothing half done. */
class EndOfStackOfTasksIT {

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:+TieredCompilation"})
    void taskIsMovedWhollyOrNotAtAll(String mode) throws Exception {
        String name = "end-of-stack-above" + mode.replace(':', '-');
        new ChildJvm(
                        name,
                        // Traces are most of the cost of an error.
                        List.of(mode, "-XX:MaxJavaStackTraceDepth=4"),
                        EndOfStackAboveChild.class,
                        List.of(String.valueOf(Scale.of(1, 12))))
                .awaitSuccess(Duration.ofMinutes(3));
    }
}
