package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

/** Closing a scheduler that waits for tasks: nobody waits in vain, and what is dropped is said. */
class ClosingWithinALimitTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final LogCapture log = LogCapture.of(WheelTaskScheduler.class);
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void shutDown() {
        scheduler.setWaitForTasksToCompleteOnShutdown(false);
        scheduler.shutdown();
        log.close();
    }

    private void initialize(Duration limit) {
        scheduler.setThreadNamePrefix("limited-");
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationMillis(limit.toMillis());
        scheduler.initialize();
    }

    private ScheduledFuture<?> inAnHour() {
        return scheduler.schedule(runs::incrementAndGet, Instant.now().plusSeconds(3_600));
    }

    @Test
    void closeAwaitsOnlyTasksThatCanBecomeDue() throws Exception {
        initialize(LONG);
        GenericApplicationContext context = contextOf(scheduler);
        ScheduledFuture<?> far = inAnHour();
        ScheduledFuture<?> named =
                scheduler.getTaskRegistry().schedule("named", runs::incrementAndGet, TaskSchedule.once(farAway()));
        ScheduledFuture<?> near =
                scheduler.schedule(runs::incrementAndGet, Instant.now().plusMillis(100));
        long beforeNanos = System.nanoTime();

        context.close();

        assertThat(Duration.ofNanos(System.nanoTime() - beforeNanos)).isLessThan(LONG.dividedBy(2));
        assertThat(scheduler.getWheelScheduledExecutor().isTerminated()).isTrue();
        assertThat(near.get(0, TimeUnit.SECONDS)).isNull();
        assertThat(runs).hasValue(1);
        assertThat(far.isCancelled()).isTrue();
        assertThat(named.isCancelled()).isTrue();
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("Scheduler taskScheduler was shut down before 2 one-time");
    }

    private static Instant farAway() {
        return Instant.now().plusSeconds(7_200);
    }

    @Test
    void droppedTasksAreReportedBeforeTheWait() throws Exception {
        initialize(LONG);
        Gate gate = new Gate();
        scheduler.execute(gate);
        gate.awaitArrivals(1);
        ScheduledFuture<?> far = inAnHour();

        Thread closing = new Thread(scheduler::shutdown);
        closing.start();

        awaitThat(() -> !log.messages().isEmpty());
        assertThat(log.messages()).singleElement().asString().contains("before 1 one-time tasks ran");
        assertThat(far.isCancelled()).isTrue();
        assertThat(gate.arrivals()).isOne();
        assertThat(closing.isAlive()).isTrue();
        gate.open();
        closing.join(LONG.toMillis());
        assertThat(closing.isAlive()).isFalse();
        assertThat(gate.interrupts()).isZero();
        assertThat(log.messages()).hasSize(1);
    }

    @Test
    void earlyShutdownDropsNothing() {
        initialize(Duration.ofMillis(1));
        ScheduledFuture<?> later =
                scheduler.schedule(runs::incrementAndGet, Instant.now().plusMillis(300));

        scheduler.initiateShutdown();

        awaitThat(later::isDone);
        assertThat(runs).hasValue(1);
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void policyDecidesWithoutALimit() {
        initialize(Duration.ZERO);
        ScheduledFuture<?> far = inAnHour();

        scheduler.shutdown();

        assertThat(far.isDone()).isFalse();
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("limited- stopped waiting: 0 runs are still running, and 1 tasks are pending [");
    }

    @Test
    void unawaitedRunningAndWaitingTasksAreReported() {
        initialize(Duration.ZERO);
        scheduler.setPoolSize(1);
        Gate gate = new Gate();
        scheduler.execute(gate);
        gate.awaitArrivals(1);
        for (int i = 0; i < 20; i++) {
            scheduler.execute(runs::incrementAndGet);
        }
        ScheduledFuture<?> far = inAnHour();

        scheduler.shutdown();

        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("1 runs are still running [")
                .contains(Gate.class.getSimpleName())
                .contains("21 tasks are pending [")
                .contains(" and 11 more");
        gate.open();
        awaitThat(() -> runs.get() == 20);
        assertThat(far.isDone()).isFalse();
    }

    @Test
    void runThatHeedsNoInterruptIsSaidWhenTheLimitHasPassed() {
        initialize(Duration.ofMillis(50));
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        scheduler.execute(new Runnable() {
            @Override
            public void run() {
                begun.countDown();
                while (end.getCount() > 0) {
                    LockSupport.parkNanos(1_000_000);
                    boolean ignored = Thread.interrupted();
                }
            }

            @Override
            public String toString() {
                return "stubborn";
            }
        });
        awaitThat(() -> begun.getCount() == 0);

        scheduler.shutdown();
        end.countDown();

        assertThat(log.said("stopped waiting")).singleElement().asString().contains("1 runs are still running [");
    }

    @Test
    void closingAPausedSchedulerStartsNoHeldTask() {
        GenericApplicationContext context = contextOf(scheduler);
        Gate gate = new Gate();
        scheduler.execute(gate);
        gate.awaitArrivals(1);
        scheduler.stop();
        for (int i = 0; i < 1_000; i++) {
            scheduler.execute(runs::incrementAndGet);
        }
        int[] interruptsInClosing = {-1};
        context.addApplicationListener(event -> {
            if (event instanceof ContextClosedEvent) {
                // The run that is going on is given the time of the lifecycle.
                interruptsInClosing[0] = gate.interrupts();
            }
        });

        context.close();

        awaitThat(() -> scheduler.getWheelScheduledExecutor().isTerminated());
        assertThat(interruptsInClosing[0]).isZero();
        assertThat(runs).hasValue(0);
        assertThat(log.messages()).singleElement().asString().contains("was shut down before 1000 one-time tasks ran");
    }

    @Test
    void closingWithAWaitRunsTasksThatAPauseHeldBack() {
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationMillis(LONG.toMillis());
        GenericApplicationContext context = contextOf(scheduler);
        scheduler.stop();
        for (int i = 0; i < 1_000; i++) {
            scheduler.execute(runs::incrementAndGet);
        }

        context.close();

        assertThat(runs).hasValue(1_000);
        assertThat(log.messages()).isEmpty();
    }

    private static GenericApplicationContext contextOf(WheelTaskScheduler scheduler) {
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean("taskScheduler", WheelTaskScheduler.class, () -> scheduler);
        context.refresh();
        return context;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 60_000})
    void whatThePolicyDropsIsReported(int limitMillis) {
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        initialize(Duration.ofMillis(limitMillis));
        ScheduledFuture<?> near =
                scheduler.schedule(runs::incrementAndGet, Instant.now().plusSeconds(30));

        scheduler.shutdown();

        assertThat(near.isCancelled()).isTrue();
        assertThat(log.messages()).singleElement().asString().contains("before 1 one-time tasks ran");
    }

    @Test
    void tasksDroppedByThePolicyAreReportedInTheEnd() {
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        initialize(Duration.ZERO);
        ScheduledFuture<?> near =
                scheduler.schedule(runs::incrementAndGet, Instant.now().plusSeconds(30));

        scheduler.initiateShutdown();
        assertThat(near.isCancelled()).isTrue();
        scheduler.shutdown();

        assertThat(log.messages()).singleElement().asString().contains("before 1 one-time tasks ran");
    }
}
