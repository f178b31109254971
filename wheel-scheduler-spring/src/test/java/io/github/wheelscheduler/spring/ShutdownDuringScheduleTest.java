package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Caller;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A shutdown begins while a call that schedules has not returned, and the task has run already. */
class ShutdownDuringScheduleTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final AtomicInteger ran = new AtomicInteger();

    /** The tick thread is held up in the clock, so that the shutdown has no time to cancel. */
    private final Gate clock = new Gate();

    private volatile boolean isHeld;
    private final AtomicReference<WheelScheduledExecutor> shutDown = new AtomicReference<>();

    @AfterEach
    void end() {
        clock.open();
    }

    /** Threads whose start returns once the run is over and a shutdown has begun. */
    private final ThreadFactory threads = run -> new Thread(run) {
        @Override
        public synchronized void start() {
            super.start();
            WheelScheduledExecutor executor = shutDown.get();
            if (executor != null) {
                awaitThat(() -> ran.get() > 0 && executor.activeCount() == 0);
                new Thread(executor::shutdown).start();
                awaitThat(executor::isShutdown);
            }
        }
    };

    private void holdTickThread(WheelScheduledExecutor executor) {
        WheelTimer<?> ignored = executor.scheduleAt(() -> {}, Instant.now().plus(Duration.ofDays(1)));
        awaitThat(() ->
                executor.snapshot().inbox() == 0 && executor.submit(() -> true).get());
        isHeld = true;
        clock.awaitArrivals(1);
        shutDown.set(executor);
    }

    private Instant clock() {
        if (isHeld && Thread.currentThread().getName().contains("tick")) {
            clock.run();
        }
        return Instant.now();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void taskThatHasRunIsCancelledAndNotRejected(boolean isRate) {
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .wallClock(this::clock)
                .tickThreadFactory(code -> new Thread(code, "tick"))
                .threadPerRun(threads)
                .build());
        holdTickThread(executor);
        WheelTimer<?> timer = isRate
                ? executor.scheduleAtFixedRate(ran::incrementAndGet, 0, 1, HOURS)
                : executor.scheduleWithFixedDelay(ran::incrementAndGet, 0, 1, HOURS);
        assertThat(timer.isCancelled()).isTrue();
        assertThat(ran).hasValue(1);
        assertThat(executor.snapshot().totals().rejected()).isZero();
        clock.open();
        awaitThat(executor::isTerminated);
        assertThat(executor.pendingCount()).isZero();
    }

    @Test
    void rateOfSpringThatHasRunIsCancelledAndNotRejected() {
        WheelTaskScheduler perRun = new WheelTaskScheduler() {
            @Override
            protected ScheduledExecutorService createExecutor(
                    int poolSize, ThreadFactory factory, RejectedExecutionHandler handler) {
                return super.createExecutor(poolSize, threads, handler);
            }
        };
        assumeTrue(Caller.VIRTUAL.isAvailable(), "the JDK has no threads for each run");
        perRun.setVirtualThreads(true);
        perRun.setThreadNamePrefix("race-");
        perRun.setClock(new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return clock();
            }
        });
        perRun.initialize();
        try {
            holdTickThread(perRun.getWheelScheduledExecutor());
            assertThat(perRun.scheduleAtFixedRate(ran::incrementAndGet, Duration.ofHours(1))
                            .isCancelled())
                    .isTrue();
            assertThat(ran).hasValue(1);
        } finally {
            clock.open();
            perRun.shutdown();
        }
    }
}
