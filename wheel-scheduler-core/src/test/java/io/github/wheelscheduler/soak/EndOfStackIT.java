package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A caller that has no stack left fails, and leaves nothing behind: no count, no place, nobody who waits. */
class EndOfStackIT {

    /** They are most of what an error costs. */
    private static final String SHORT_TRACES = "-XX:MaxJavaStackTraceDepth=4";

    private static final List<String> COLD_AND_SLOW = List.of("0", String.valueOf(Scale.of(2, 12)));

    /** The compiler that optimizes takes what has been called 15,000 times. */
    private static final List<String> WARM =
            List.of(String.valueOf(Scale.of(20_000, 60_000)), String.valueOf(Scale.of(6, 24)));

    @ParameterizedTest
    @CsvSource({
        "ELASTIC, false, -Xint",
        "ELASTIC, true, -Xint",
        "THREAD_PER_RUN, false, -Xint",
        "ELASTIC, false, -XX:TieredStopAtLevel=1",
        "ELASTIC, true, -XX:+TieredCompilation",
        "ELASTIC, false, -XX:+TieredCompilation",
        "THREAD_PER_RUN, false, -XX:+TieredCompilation",
        "THREAD_PER_RUN, true, -XX:TieredStopAtLevel=1",
        "GIVEN_EXECUTOR, false, -XX:+TieredCompilation"
    })
    void callersAtTheEndOfTheirStackHarmNobody(WorkerKind kind, boolean isGroup, String mode) throws Exception {
        List<String> args = new ArrayList<>(List.of(kind.name(), String.valueOf(isGroup)));
        args.addAll(mode.equals("-Xint") ? COLD_AND_SLOW : WARM);
        String name = "end-of-stack-" + kind + (isGroup ? "-group" : "") + mode.replace(':', '-');
        new ChildJvm(name, List.of(mode, SHORT_TRACES), EndOfStackChild.class, args)
                .awaitSuccess(Duration.ofMinutes(3));
    }
}
