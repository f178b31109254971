package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.ExecutorAround;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.support.PeriodicTrigger;

/**
 * Tasks that are armed by an executor which a subclass of the scheduler has put around its own are steered as any
 * other.
 */
@ParameterizedClass
@ValueSource(booleans = {false, true})
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class ExecutorAroundTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMillis(5);

    private final SchedulerWithExecutorAround scheduler;
    private final TaskRegistry registry;
    private final AtomicInteger runs = new AtomicInteger();

    ExecutorAroundTest(boolean hasOwnFutures) {
        scheduler = new SchedulerWithExecutorAround(hasOwnFutures);
        registry = scheduler.getTaskRegistry();
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private ExecutorAround around() {
        return scheduler.getScheduledExecutor();
    }

    private static List<TaskSchedule> schedules(Duration apart) {
        return List.of(
                TaskSchedule.fixedRate(apart),
                TaskSchedule.fixedDelay(apart),
                TaskSchedule.trigger(new PeriodicTrigger(apart), ZoneId.systemDefault()));
    }

    @Test
    void ratesDelaysTriggersAndOneTimeTasksAreWrapped() {
        List<Future<?>> futures = List.of(
                scheduler.scheduleAtFixedRate(runs::incrementAndGet, HOUR),
                scheduler.scheduleWithFixedDelay(runs::incrementAndGet, HOUR),
                scheduler.schedule(
                        runs::incrementAndGet, context -> context.lastCompletion() == null ? Instant.now() : null),
                scheduler.schedule(runs::incrementAndGet, Instant.now()),
                registry.schedule("once", runs::incrementAndGet, TaskSchedule.once(Instant.now())));
        awaitThat(() -> runs.get() == 5);
        assertThat(around().wrapped()).isEqualTo(5);
        assertThat(around().runs()).isEqualTo(5);
        assertThat(futures).hasSize(5);
    }

    @Test
    void eachRunOfATriggerIsWrapped() {
        Future<?> series = scheduler.schedule(runs::incrementAndGet, new PeriodicTrigger(SOON));
        awaitThat(() -> runs.get() >= 3);
        assertThat(series.cancel(false)).isTrue();
        awaitThat(() -> around().runs() >= 3 && around().wrapped() >= 3);
    }

    @Test
    void cancelledTasksRunNoMore() {
        for (TaskSchedule schedule : schedules(SOON)) {
            Future<?> future = registry.schedule("task", runs::incrementAndGet, schedule);
            int before = runs.get();
            awaitThat(() -> runs.get() > before + 1);
            assertThat(future.cancel(false)).isTrue();
            assertThat(future.isCancelled()).isTrue();
            assertThat(registry.find("task")).isEmpty();
            awaitThat(() -> scheduler.getWheelScheduledExecutor().pendingCount() == 0);
        }
    }

    @Test
    void pausedTasksRunWhenTheyAreResumed() {
        for (TaskSchedule schedule : schedules(SOON)) {
            Future<?> future = registry.schedule("task", runs::incrementAndGet, schedule);
            registry.pause("task");
            long skipsBefore = registry.get("task").skips();
            awaitThat(() -> registry.get("task").skips() > skipsBefore + 1);
            assertThat(registry.get("task").state()).isEqualTo(TaskInfo.State.PAUSED);
            int before = runs.get();
            registry.resume("task");
            awaitThat(() -> runs.get() > before);
            assertThat(future.cancel(false)).isTrue();
        }
    }

    @Test
    void triggeredTasksRunAtOnceAlsoWhileOthersAreHeld() {
        scheduler.setMode(SchedulerMode.HALTED);
        int expected = 0;
        for (TaskSchedule schedule : schedules(HOUR)) {
            expected++;
            Future<?> future = registry.schedule("task" + expected, runs::incrementAndGet, schedule);
            registry.trigger("task" + expected);
            int atLeast = expected;
            awaitThat(() -> runs.get() == atLeast);
            assertThat(future.isDone()).isFalse();
        }
        registry.schedule(
                "once", runs::incrementAndGet, TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.trigger("once");
        awaitThat(() -> runs.get() == 4);
        assertThat(around().runs()).isEqualTo(4);
    }

    @Test
    void retimedTasksKeepIdAndFuture() {
        for (TaskSchedule first : schedules(HOUR)) {
            ScheduledFuture<?> future = registry.schedule("task", runs::incrementAndGet, first);
            for (TaskSchedule other : schedules(SOON)) {
                int wrappedBefore = around().wrapped();
                int before = runs.get();
                registry.retime("task", other);
                awaitThat(() -> runs.get() > before + 1);
                assertThat(around().wrapped()).isGreaterThan(wrappedBefore);
                assertThat(registry.get("task").schedule()).isSameAs(other);
                assertThat(future.isDone()).isFalse();
            }
            registry.retime("task", TaskSchedule.once(Instant.now()));
            awaitThat(future::isDone);
            registry.reset("task");
            assertThat(future.isDone()).isFalse();
            assertThat(future.cancel(false)).isTrue();
        }
        awaitThat(() -> scheduler.getWheelScheduledExecutor().pendingCount() == 0);
    }

    @Test
    void runningTaskIsInterruptedAndTellsSinceWhen() {
        for (TaskSchedule schedule : schedules(SOON)) {
            Gate gate = new Gate();
            Future<?> future = registry.schedule("task", gate, schedule);
            gate.awaitArrivals(1);
            assertThat(registry.get("task").state()).isEqualTo(TaskInfo.State.RUNNING);
            assertThat(registry.interrupt("task")).isEqualTo(1);
            awaitThat(() -> gate.interrupts() == 1);
            gate.open();
            assertThat(future.cancel(true)).isTrue();
        }
    }

    @Test
    void settingsOfTasksKeepTheirEffect() {
        TaskSettings jittered = TaskSettings.builder()
                .jitter(Duration.ofMillis(1))
                .pauseAfterFailures(2)
                .build();
        List<String> failures = new CopyOnWriteArrayList<>();
        scheduler.setErrorHandler(thrown -> failures.add(thrown.getMessage()));
        for (TaskSchedule schedule : schedules(SOON)) {
            Runnable failing = () -> {
                throw new IllegalStateException("run " + runs.incrementAndGet());
            };
            Future<?> future = registry.schedule("task", failing, schedule, jittered);
            awaitThat(() -> registry.get("task").pausedAfterFailures());
            assertThat(future.cancel(false)).isTrue();
        }
        assertThat(failures).containsExactly("run 1", "run 2", "run 3", "run 4", "run 5", "run 6");
    }

    /**
     * The engine tells the series how many runs it leaves out, and the log of slow starts the id, though it runs the
     * user's wrapper.
     */
    @Test
    void missedRunsAreCountedForTheTask() {
        Gate gate = new Gate();
        registry.schedule("task", gate, TaskSchedule.fixedRate(Duration.ofMillis(1)));
        gate.awaitArrivals(1);
        awaitThat(() -> scheduler
                        .getWheelScheduledExecutor()
                        .runningFor(Duration.ofMillis(50))
                        .size()
                == 1);
        assertThat(scheduler.getWheelScheduledExecutor().runningFor(Duration.ZERO))
                .singleElement()
                .extracting(run -> run.task().toString())
                .isEqualTo("task");
        gate.open();
        awaitThat(() -> registry.get("task").missed() > 0);
    }

    @Test
    void noLockIsHeldWhileTheExecutorIsCalled() {
        registry.schedule("task", runs::incrementAndGet, TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> runs.get() == 1);
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        around().whenPassedOn = () -> {
            called.countDown();
            try {
                assertThat(goOn.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
            } catch (Throwable ex) {
                failure.set(ex);
            }
        };
        CompletableFuture<Boolean> retimes = CompletableFuture.supplyAsync(() -> {
            registry.retime("task", TaskSchedule.fixedRate(SOON));
            return true;
        });
        try {
            assertThat(called.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
            // The new timer is due, and its runs wait for the series; steering does not.
            registry.pause("task");
            registry.resume("task");
            assertThat(registry.get("task").state()).isEqualTo(TaskInfo.State.PENDING);
            assertThat(runs).hasValue(1);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        } finally {
            goOn.countDown();
        }
        assertThat(retimes).succeedsWithin(PATIENCE).isEqualTo(true);
        awaitThat(() -> runs.get() > 2);
        assertThat(failure).hasValue(null);
    }

    @Test
    void closingDoesNotWaitForATrigger() {
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            Future<?> series = scheduler.schedule(
                    runs::incrementAndGet, context -> Instant.now().plus(HOUR));
            scheduler.setWaitForTasksToCompleteOnShutdown(true);
            scheduler.setAwaitTerminationSeconds(20);
            scheduler.shutdown();
            assertThat(scheduler.getWheelScheduledExecutor().isTerminated()).isTrue();
            assertThat(series.isCancelled()).isTrue();
            assertThat(log.said("one-time")).isEmpty();
        }
    }

    @Test
    void retimingThatIsRejectedChangesNothing() {
        List<String> seen = new CopyOnWriteArrayList<>();
        registry.schedule("task", runs::incrementAndGet, TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> runs.get() == 1);
        around().whenPassedOn = () -> {
            seen.add("called");
            throw new RejectedExecutionException("meant");
        };
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> registry.retime("task", TaskSchedule.fixedDelay(HOUR)));
        assertThat(seen).hasSize(1);
        assertThat(registry.get("task").schedule()).isEqualTo(TaskSchedule.fixedRate(HOUR));
        around().whenPassedOn = () -> {};
        registry.retime("task", TaskSchedule.fixedDelay(SOON));
        awaitThat(() -> runs.get() > 3);
    }

    /** Returns an executor that runs on the calling thread what it is to schedule. */
    private static ScheduledExecutorService runsAtOnce(ScheduledExecutorService executor) {
        return (ScheduledExecutorService) Proxy.newProxyInstance(
                ExecutorAroundTest.class.getClassLoader(),
                new Class<?>[] {ScheduledExecutorService.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().startsWith("schedule")) {
                        return method.invoke(executor, arguments);
                    }
                    ((Runnable) arguments[0]).run();
                    ScheduledFuture<?> over = executor.schedule(() -> {}, 0, SECONDS);
                    over.get(PATIENCE.toSeconds(), SECONDS);
                    return over;
                });
    }

    @Test
    void executorThatRunsAtOnceHoldsNobodyUp() {
        WheelTaskScheduler immediate = new WheelTaskScheduler() {
            @Override
            public ScheduledExecutorService getScheduledExecutor() {
                return runsAtOnce(super.getScheduledExecutor());
            }
        };
        immediate.initialize();
        try {
            Future<?> once = immediate
                    .getTaskRegistry()
                    .schedule(
                            "once",
                            runs::incrementAndGet,
                            TaskSchedule.once(Instant.now().plus(HOUR)));
            assertThat(runs).hasValue(1);
            assertThat(once.isDone()).isTrue();
            Future<?> series = immediate.schedule(runs::incrementAndGet, new PeriodicTrigger(HOUR));
            assertThat(series).isNotNull();
            assertThat(runs).hasValue(2);
        } finally {
            immediate.shutdown();
        }
    }
}
