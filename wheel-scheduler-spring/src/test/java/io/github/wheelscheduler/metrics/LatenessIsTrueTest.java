package io.github.wheelscheduler.metrics;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.spring.watch.WarningLimits;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Timed;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On real threads, the lateness that meters tell is the one that a task sees. */
@Timed
class LatenessIsTrueTest {

    private static final double TOLERANCE = 0.1;
    private static final double BUSY_NANOS = 1e9;

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.metrics.MeteredScheduler#kindsOfThreads")
    void taskThatWaitsForTheOnlyWorkerIsAsLateAsItSays(boolean virtualThreads) {
        try (MeteredScheduler metered = new MeteredScheduler(settings -> {
            settings.setVirtualThreads(virtualThreads);
            settings.setPoolSize(1);
            // The first line of a log takes a worker as long as the task may differ.
            settings.setWarningLimits(new WarningLimits(Duration.ofHours(1), Duration.ofHours(1), null, null));
        })) {
            Gate gate = new Gate();
            metered.scheduler.execute(gate);
            gate.awaitArrivals(1);
            double before = latenessNanos(metered);

            AtomicReference<Instant> started = new AtomicReference<>();
            Instant due = Instant.now().plusMillis(10);
            ScheduledFuture<?> waiting = metered.scheduler.schedule(() -> started.set(Instant.now()), due);
            awaitThat(() -> metered.seconds(MeterNames.READY_AGE) > BUSY_NANOS / 1e9);
            gate.open();
            awaitThat(waiting::isDone);

            double seen = (double) Duration.between(due, started.get()).toNanos();
            assertThat(seen).isGreaterThan(BUSY_NANOS);
            assertThat(latenessNanos(metered) - before).isCloseTo(seen, within(TOLERANCE * seen));
            assertThat(metered.timer(MeterNames.LATENESS, "stage", "queue").max(NANOSECONDS))
                    .isGreaterThan(BUSY_NANOS);
        }
    }

    private static double latenessNanos(MeteredScheduler metered) {
        return metered.timer(MeterNames.LATENESS, "stage", "wheel").totalTime(NANOSECONDS)
                + metered.timer(MeterNames.LATENESS, "stage", "queue").totalTime(NANOSECONDS);
    }
}
