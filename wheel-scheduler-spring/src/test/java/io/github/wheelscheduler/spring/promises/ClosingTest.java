package io.github.wheelscheduler.spring.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.context.support.GenericApplicationContext;

/** Closing the context while 200 tasks run and 100,000 are pending. */
class ClosingTest {

    private static final int RUNNING = 200;
    private static final int PENDING = 100_000;

    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final CountDownLatch allRunning = new CountDownLatch(RUNNING);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.spring.promises.Schedulers#available")
    void closeWithoutWaitingInterruptsAndReports(Schedulers kind) throws Exception {
        WheelTaskScheduler scheduler = kind.create("closing-");
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            List<ScheduledFuture<?>> pending = closeUnderLoad(scheduler);

            assertNothingStartsAnyMore(scheduler);
            assertThat(pending).allMatch(ScheduledFuture::isCancelled);
            assertThat(interrupted).hasValue(RUNNING);
            assertThat(log.messages()).anyMatch(line -> line.contains("before " + PENDING + " one-time tasks ran"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.spring.promises.Schedulers#available")
    void waitingWithALimitWaitsThenInterrupts(Schedulers kind) throws Exception {
        WheelTaskScheduler scheduler = kind.create("closing-");
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationMillis(500);
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            long before = System.nanoTime();
            List<ScheduledFuture<?>> pending = closeUnderLoad(scheduler);

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(500));
            assertNothingStartsAnyMore(scheduler);
            assertThat(pending).allMatch(ScheduledFuture::isCancelled);
            assertThat(interrupted).hasValue(RUNNING);
            assertThat(log.messages()).anyMatch(line -> line.contains("before " + PENDING + " one-time tasks ran"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.spring.promises.Schedulers#available")
    void closeWithoutALimitReturnsAndDueWorkGoesOn(Schedulers kind) throws Exception {
        WheelTaskScheduler scheduler = kind.create("closing-");
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        List<ScheduledFuture<?>> pending = closeUnderLoad(scheduler);

        assertThat(interrupted).hasValue(0);
        assertThat(scheduler.getActiveCount()).isEqualTo(RUNNING);
        assertThat(pending).allMatch(future -> future.cancel(false));
        goOn.countDown();
        assertEnds(scheduler);
        assertThat(interrupted).hasValue(0);
    }

    /** Starts the context, fills the scheduler and closes; returns what is pending. */
    private List<ScheduledFuture<?>> closeUnderLoad(WheelTaskScheduler scheduler) throws InterruptedException {
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean("taskScheduler", WheelTaskScheduler.class, () -> scheduler);
        // The context gives running tasks some time to end by themselves, which these do not.
        DefaultLifecycleProcessor lifecycle = new DefaultLifecycleProcessor();
        lifecycle.setTimeoutPerShutdownPhase(100);
        context.registerBean(
                AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME,
                DefaultLifecycleProcessor.class,
                () -> lifecycle);
        context.refresh();
        List<ScheduledFuture<?>> pending = new ArrayList<>();
        Instant inAnHour = Instant.now().plusSeconds(3_600);
        for (int i = 0; i < PENDING; i++) {
            pending.add(scheduler.schedule(started::incrementAndGet, inAnHour));
        }
        for (int i = 0; i < RUNNING; i++) {
            scheduler.execute(this::runUntilToldOrInterrupted);
        }
        assertThat(allRunning.await(30, TimeUnit.SECONDS)).isTrue();
        context.close();
        return pending;
    }

    private void runUntilToldOrInterrupted() {
        started.incrementAndGet();
        allRunning.countDown();
        try {
            goOn.await();
        } catch (InterruptedException ex) {
            interrupted.incrementAndGet();
        }
    }

    private void assertNothingStartsAnyMore(WheelTaskScheduler scheduler) {
        int startedAtClose = started.get();
        assertThat(startedAtClose).isEqualTo(RUNNING);
        assertEnds(scheduler);
        assertThat(started).hasValue(startedAtClose);
    }

    private static void assertEnds(WheelTaskScheduler scheduler) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> scheduler.getWheelScheduledExecutor().isTerminated());
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("closing-")));
        assertThat(scheduler.getPoolSize()).isZero();
    }
}
