package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.FailingTime;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A run of a trigger that is left in the middle, as the clock fails at each step after the task, ends all the same. */
class SkippedHandlersOfCronTest {

    /** More than there are steps. */
    private static final int STEPS = 8;

    private final FailingTime time = new FailingTime();
    private final AtomicInteger runs = new AtomicInteger();

    @RegisterExtension
    private final LogCapture log = LogCapture.of("io.github.wheelscheduler");

    @Test
    void cronEndsWithTheErrorThatSkippedItsEndOrGoesOn() throws Exception {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setTimeSource(time);
        scheduler.initialize();
        WheelScheduledExecutor executor = scheduler.getWheelScheduledExecutor();
        int ended = 0;
        try {
            for (int step = 0; step < STEPS; step++) {
                Future<?> series = scheduler.schedule(failing(step), context -> Instant.now());
                int before = runs.get();
                awaitThat(() -> series.isDone() || runs.get() > before + STEPS);
                ended += series.isDone() ? 1 : 0;
                boolean ignored = series.cancel(false);
            }
            assertThat(ended).isPositive();
            time.failNoMore();
            awaitThat(() -> executor.pendingCount() == 0 && executor.activeCount() == 0);
            assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        } finally {
            scheduler.shutdown();
        }
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    private Runnable failing(int step) {
        AtomicInteger own = new AtomicInteger();
        return () -> {
            if (own.incrementAndGet() == 2) {
                time.failHere(step);
            }
            runs.incrementAndGet();
        };
    }
}
