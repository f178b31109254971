package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A factory of the first threads may take its time, fail, and call its own executor: one of each is made. */
@SuppressWarnings("FutureReturnValueIgnored") // a timer within a future is none
class ThreadFactoriesTest {

    private static final int MAX_PENDING = 1_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final List<Thread> made = new CopyOnWriteArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private volatile Gate slow = new Gate();

    @AfterEach
    void end() {
        slow.open();
        log.close();
    }

    private static WheelScheduledExecutorBuilder base() {
        return WheelScheduledExecutor.builder().maxPending(MAX_PENDING);
    }

    /** The thread that the factory is asked for first. */
    enum First {
        TICK_THREAD,
        FEEDER;

        WheelScheduledExecutorBuilder builder(ThreadFactory factory) {
            WheelScheduledExecutorBuilder builder =
                    base().tickThreadFactory(factory).threadFactory(Thread::new);
            return this == TICK_THREAD ? builder : builder.executor(Runnable::run);
        }

        int threads() {
            return this == TICK_THREAD ? 1 : 2;
        }
    }

    private WheelScheduledExecutor use(First first, ThreadFactory factory) {
        return stops.use(first.builder(factory).build());
    }

    private Thread make(Runnable task) {
        Thread thread = new Thread(task, "made");
        made.add(thread);
        return thread;
    }

    private Thread makeSlowly(Runnable task) {
        if (asked.incrementAndGet() == 1) {
            slow.run();
        }
        return make(task);
    }

    /** Schedules on a thread of its own. */
    private CompletableFuture<WheelTimer<?>> scheduleElsewhere(WheelScheduledExecutor executor, long delayMillis) {
        CompletableFuture<WheelTimer<?>> timer = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        timer.complete(executor.schedule(ran::incrementAndGet, delayMillis, MILLISECONDS));
                    } catch (Throwable ex) {
                        timer.completeExceptionally(ex);
                    }
                })
                .start();
        return timer;
    }

    // A factory that schedules

    @ParameterizedTest
    @EnumSource
    void factoryThatSchedulesOnItsOwnExecutorMakesOneThread(First first) throws Exception {
        WheelScheduledExecutor[] executor = new WheelScheduledExecutor[1];
        executor[0] = use(first, task -> {
            if (asked.incrementAndGet() <= 3) {
                WheelTimer<?> nested = executor[0].schedule(ran::incrementAndGet, 1, MILLISECONDS);
                assertThat(nested.isPeriodic()).isFalse();
                executor[0].execute(ran::incrementAndGet);
            }
            return make(task);
        });
        for (int i = 0; i < 100; i++) {
            WheelTimer<?> timer = executor[0].schedule(ran::incrementAndGet, i % 5, MILLISECONDS);
            assertThat(timer.isCancelled()).isFalse();
        }
        awaitThat(() -> ran.get() == 100 + 2 * asked.get());
        assertThat(made).hasSize(first.threads());
        executor[0].shutdown();
        assertThat(executor[0].awaitTermination(30, SECONDS)).isTrue();
        awaitThat(() -> made.stream().noneMatch(Thread::isAlive));
    }

    // A factory that starts threads

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void workerThatItsFactoryStartsIsNoGhost(boolean throwsThen) {
        WheelScheduledExecutor executor = stops.use(base().tickThreadFactory(Thread::new)
                .threadFactory(task -> {
                    Thread thread = make(task);
                    thread.start();
                    if (throwsThen) {
                        throw new IllegalStateException("on purpose");
                    }
                    return thread;
                })
                .build());
        WheelTimer<?> timer = executor.schedule(ran::incrementAndGet, 1, MILLISECONDS);
        awaitThat(() -> made.size() > 4 || timer.isDone());
        List<Runnable> ignored = executor.shutdownNow();
        awaitThat(executor::isTerminated);
        awaitThat(() -> made.stream().noneMatch(Thread::isAlive));
    }

    // A factory that is slow

    @ParameterizedTest
    @EnumSource
    void slowFactoryHoldsUpNoOtherCaller(First first) throws Exception {
        WheelScheduledExecutor executor = use(first, this::makeSlowly);
        CompletableFuture<WheelTimer<?>> slowly = scheduleElsewhere(executor, 1);
        slow.awaitArrivals(1);
        WheelTimer<?> other = scheduleElsewhere(executor, 1).get(10, SECONDS);
        CompletableFuture.runAsync(() -> {
                    executor.pause();
                    executor.resume();
                    assertThat(executor.somePending(10)).hasSize(1);
                })
                .get(10, SECONDS);
        assertThat(slowly).isNotDone();
        assertThat(executor.pendingCount()).isEqualTo(1);
        slow.open();
        assertThat(other.get(30, SECONDS)).isNotNull();
        assertThat(slowly.get(30, SECONDS).get(30, SECONDS)).isNotNull();
        assertThat(made).hasSize(first.threads());
    }

    @ParameterizedTest
    @EnumSource
    void stopDuringTheStartStartsNoThread(First first) throws Exception {
        WheelScheduledExecutor executor = use(first, this::makeSlowly);
        CompletableFuture<WheelTimer<?>> slowly = scheduleElsewhere(executor, 1);
        slow.awaitArrivals(1);
        WheelTimer<?> other = scheduleElsewhere(executor, 1).get(10, SECONDS);
        assertThat(CompletableFuture.supplyAsync(executor::shutdownNow).get(10, SECONDS))
                .containsExactly(other);
        assertThat(executor.awaitTermination(10, SECONDS)).isTrue();
        slow.open();
        assertThatThrownBy(() -> slowly.get(30, SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(made).isNotEmpty().allMatch(thread -> thread.getState() == Thread.State.NEW);
        // A thread that comes all the same touches nothing.
        for (Thread late : made) {
            late.start();
            late.join(10_000);
            assertThat(late.isAlive()).isFalse();
        }
        assertThat(ran).hasValue(0);
        assertThat(executor.pendingCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shutdownDuringTheStartEndsWhatHasNothingLeft(First first) throws Exception {
        WheelScheduledExecutor executor = use(first, this::makeSlowly);
        WheelScheduledExecutor group = executor.group("group");
        CompletableFuture<WheelTimer<?>> slowly = scheduleElsewhere(executor, 1);
        slow.awaitArrivals(1);
        CompletableFuture.runAsync(executor::shutdown).get(10, SECONDS);
        assertThat(executor.awaitTermination(10, SECONDS)).isTrue();
        assertThat(group.isTerminated()).isTrue();
        slow.open();
        assertThatThrownBy(() -> slowly.get(30, SECONDS)).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(made).isNotEmpty().allMatch(thread -> thread.getState() == Thread.State.NEW);
    }

    @ParameterizedTest
    @EnumSource
    void shutdownDuringTheStartLeavesWhatHasBeenAccepted(First first) throws Exception {
        WheelScheduledExecutor executor = use(first, this::makeSlowly);
        WheelScheduledExecutor group = executor.group("group");
        CompletableFuture<WheelTimer<?>> slowly = scheduleElsewhere(executor, 1);
        slow.awaitArrivals(1);
        WheelTimer<?> other = scheduleElsewhere(executor, 1).get(10, SECONDS);
        WheelTimer<?> ofGroup = scheduleElsewhere(group, 1).get(10, SECONDS);
        WheelTimer<?> repeating = executor.scheduleAtFixedRate(ran::incrementAndGet, 1, 1, HOURS);
        CompletableFuture.runAsync(executor::shutdown).get(10, SECONDS);
        assertThat(repeating.isCancelled()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        slow.open();
        assertThat(other.get(30, SECONDS)).isNotNull();
        assertThat(ofGroup.get(30, SECONDS)).isNotNull();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThatThrownBy(() -> slowly.get(30, SECONDS)).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(ran).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void groupEndsDuringTheStart(First first) throws Exception {
        WheelScheduledExecutor executor = use(first, this::makeSlowly);
        CompletableFuture<WheelTimer<?>> slowly = scheduleElsewhere(executor, 1);
        slow.awaitArrivals(1);
        WheelScheduledExecutor empty = executor.group("empty");
        empty.shutdown();
        assertThat(empty.isTerminated()).isTrue();
        WheelScheduledExecutor stopped = executor.group("stopped");
        WheelTimer<?> timer = scheduleElsewhere(stopped, 1).get(10, SECONDS);
        assertThat(CompletableFuture.supplyAsync(stopped::shutdownNow).get(10, SECONDS))
                .containsExactly(timer);
        awaitThat(stopped::isTerminated);
        slow.open();
        assertThat(slowly.get(30, SECONDS).get(30, SECONDS)).isNotNull();
        assertThat(ran).hasValue(1);
    }

    // A factory that fails

    enum Failing {
        THROWS,
        RETURNS_NULL,
        STARTS_THE_THREAD_AND_THROWS;

        Thread instead(Runnable task) {
            switch (this) {
                case THROWS -> throw new OutOfMemoryError("on purpose");
                case STARTS_THE_THREAD_AND_THROWS -> {
                    new Thread(task, "made").start();
                    throw new IllegalStateException("on purpose");
                }
                default -> {
                    return null;
                }
            }
        }
    }

    private WheelScheduledExecutor useFailing(First first, Failing failing, int failures) {
        return use(first, failing(failing, failures));
    }

    private ThreadFactory failing(Failing failing, int failures) {
        return task -> {
            int call = asked.incrementAndGet();
            if (call == 1) {
                slow.run();
            }
            return call <= failures ? failing.instead(task) : make(task);
        };
    }

    @ParameterizedTest
    @EnumSource
    void failureLeavesWhatOthersHavePosted(Failing failing) throws Exception {
        for (First first : First.values()) {
            asked.set(0);
            slow = new Gate();
            WheelScheduledExecutor executor = useFailing(first, failing, 3);
            CompletableFuture<WheelTimer<?>> failed = scheduleElsewhere(executor, 1);
            slow.awaitArrivals(1);
            WheelTimer<?> other = scheduleElsewhere(executor, 1).get(10, SECONDS);
            WheelTimer<?> ofGroup =
                    scheduleElsewhere(executor.group("group"), 1).get(10, SECONDS);
            slow.open();
            assertThatThrownBy(() -> failed.get(30, SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(other.get(30, SECONDS)).isNotNull();
            assertThat(ofGroup.get(30, SECONDS)).isNotNull();
            awaitThat(() -> executor.pendingCount() == 0);
        }
        assertThat(ran).hasValue(4);
    }

    @ParameterizedTest
    @EnumSource
    void shutdownAfterAFailureRunsWhatOthersHavePosted(First first) throws Exception {
        WheelScheduledExecutor executor = useFailing(first, Failing.THROWS, 4);
        CompletableFuture<WheelTimer<?>> failed = scheduleElsewhere(executor, 1);
        slow.awaitArrivals(1);
        WheelTimer<?> other = scheduleElsewhere(executor, 1).get(10, SECONDS);
        slow.open();
        assertThatThrownBy(() -> failed.get(30, SECONDS)).hasCauseInstanceOf(OutOfMemoryError.class);
        executor.shutdown();
        assertThat(other.get(30, SECONDS)).isNotNull();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(ran).hasValue(1);
        assertThat(log.messages()).hasSize(1).first().asString().contains("tick thread could not be started");
    }

    @ParameterizedTest
    @EnumSource
    void failureLeavesNothingOfTheCall(Failing failing) throws Exception {
        slow.open();
        for (First first : First.values()) {
            assertNothingIsLeftOfAFailure(useFailing(first, failing, 1));
        }
        if (failing != Failing.STARTS_THE_THREAD_AND_THROWS) {
            assertNothingIsLeftOfAFailure(stops.use(base().tickThreadFactory(Thread::new)
                    .threadFactory(failing(failing, 1))
                    .build()));
        }
        assertThat(ran).hasValue(0);
        assertThat(log.messages()).isEmpty();
    }

    private void assertNothingIsLeftOfAFailure(WheelScheduledExecutor executor) throws Exception {
        asked.set(0);
        assertThatThrownBy(() -> executor.schedule(ran::incrementAndGet, 0, NANOSECONDS))
                .isNotNull();
        assertThat(executor.pendingCount()).isZero();
        assertThat(executor.remainingPending()).isEqualTo(MAX_PENDING);
        Future<String> next = executor.submit(() -> "ran");
        assertThat(next.get(30, SECONDS)).isEqualTo("ran");
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @Test
    void executorWithoutAFirstThreadEndsAtOnce() {
        WheelScheduledExecutor executor =
                stops.use(base().threadFactory(task -> null).build());
        assertThatThrownBy(() -> executor.schedule(ran::incrementAndGet, 0, NANOSECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("must return a thread");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }
}
