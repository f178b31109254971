package io.github.wheelscheduler.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Clocks;
import io.github.wheelscheduler.testing.LogCapture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Refusals fill no log, and yet say enough. */
class ExecutorRefusalsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @RegisterExtension
    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);

    private long nowNanos;
    private final ExecutorRefusals refusals = new ExecutorRefusals(() -> nowNanos);

    static long[] origins() {
        return Clocks.awkwardOrigins();
    }

    private void refuseFor(int seconds) {
        for (int i = 0; i < seconds; i++) {
            nowNanos += SECOND;
            refusals.total.incrementAndGet();
            refusals.log(() -> {}, new RejectedExecutionException("full"));
        }
    }

    @ParameterizedTest
    @MethodSource("origins")
    void oneRefusalAMinuteIsLoggedWithTheNumberOfTheOthers(long originNanos) {
        nowNanos = originNanos;
        refuseFor(60);
        assertThat(log.messages()).singleElement().asString().contains("rejected a due run");
        refuseFor(61);
        assertThat(log.messages()).hasSize(3);
        assertThat(log.messages().get(1)).contains("rejected a due run (and 59 more times");
        assertThat(log.messages().get(2)).contains("rejected a due run (and 59 more times");
        assertThat(refusals.total).hasValue(121);
    }

    @ParameterizedTest
    @MethodSource("origins")
    void refusalAfterAQuietMinuteIsLogged(long originNanos) {
        nowNanos = originNanos;
        refuseFor(10);
        nowNanos += 59 * SECOND;
        refuseFor(1);
        assertThat(log.messages()).hasSize(2).allMatch(line -> line.contains("rejected a due run"));
    }

    @ParameterizedTest
    @MethodSource("origins")
    void abandonedRunsAreLoggedOnceAMinuteAndAtTheEnd(long originNanos) {
        nowNanos = originNanos + SECOND;
        refusals.logAbandoned(true);
        assertThat(log.messages()).isEmpty();
        refusals.abandoned.incrementAndGet();
        refusals.abandoned.incrementAndGet();
        refusals.logAbandoned(false);
        refusals.abandoned.incrementAndGet();
        refusals.logAbandoned(false);
        assertThat(log.messages()).singleElement().asString().endsWith(": 2");
        refusals.logAbandoned(true);
        assertThat(log.messages()).hasSize(2).last().asString().endsWith(": 1");
    }
}
