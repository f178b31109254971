package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.OnFull;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.support.PeriodicTrigger;

/** A group that loses runs loses those of all its series, not always those of the same. */
class FullGroupTest {

    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final Duration SELDOM = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofMillis(20);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final WheelTaskScheduler group = new WheelTaskScheduler();

    @BeforeEach
    void start() {
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        group.shutdown();
        scheduler.shutdown();
    }

    /** Counts its runs, which take longer than the period of the frequent ones. */
    private static final class Overrunning implements Runnable {

        private final AtomicInteger runs = new AtomicInteger();

        @Override
        public void run() {
            LockSupport.parkNanos(LONG.toNanos());
            runs.incrementAndGet();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "WAIT", mode = EnumSource.Mode.EXCLUDE)
    void rareSeriesHasItsTurnBesideOverrunningOnes(OnFull onFull) {
        group.setGroupOf(scheduler, "reports", 0, onFull);
        group.setPoolSize(1);
        group.initialize();
        List<Overrunning> rates = Stream.generate(Overrunning::new).limit(3).toList();
        Overrunning delay = new Overrunning();
        Overrunning trigger = new Overrunning();
        for (Overrunning rate : rates) {
            ScheduledFuture<?> ignored = group.scheduleAtFixedRate(rate, OFTEN);
        }
        ScheduledFuture<?> one = group.scheduleWithFixedDelay(delay, SELDOM);
        PeriodicTrigger calendar = new PeriodicTrigger(SELDOM);
        calendar.setFixedRate(true);
        ScheduledFuture<?> two = group.schedule(trigger, calendar);
        awaitThat(() -> rates.stream().allMatch(rate -> rate.runs.get() >= 12));
        int rarest = rates.stream().mapToInt(rate -> rate.runs.get()).min().orElseThrow();
        assertThat(2 * delay.runs.get()).isGreaterThanOrEqualTo(rarest);
        assertThat(2 * trigger.runs.get()).isGreaterThanOrEqualTo(rarest);
        assertThat(group.getWheelScheduledExecutor().snapshot().totals().refusedRuns())
                .isGreaterThan(rarest);
        assertThat(one.isDone() || (two != null && two.isDone())).isFalse();
    }
}
