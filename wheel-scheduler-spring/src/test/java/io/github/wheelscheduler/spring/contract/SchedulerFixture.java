package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.TaskUtils;

/** Makes and initializes schedulers for one test, and shuts every one of them down after it. */
@Timeout(180)
abstract class SchedulerFixture {

    /** How long a test waits for what must happen: long, so that a busy machine fails nothing. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** How long a test watches that something does not happen. */
    static final Duration A_WHILE = Duration.ofMillis(120);

    /** The period or delay of a series that is to come soon and often. */
    static final Duration PERIOD = Duration.ofMillis(20);

    static final Duration AN_HOUR = Duration.ofHours(1);

    /** What the default error handlers log; the failures of these tests are meant, and stay off the console. */
    @RegisterExtension
    final LogCapture log = LogCapture.ofPackage(TaskUtils.class);

    private final SchedulerFactory factory;
    private final List<ThreadPoolTaskScheduler> schedulers = new ArrayList<>();

    SchedulerFixture(SchedulerFactory factory) {
        this.factory = factory;
    }

    @AfterEach
    void shutDownSchedulers() {
        for (ThreadPoolTaskScheduler scheduler : schedulers) {
            scheduler.setWaitForTasksToCompleteOnShutdown(false);
            scheduler.setAwaitTerminationMillis(PATIENCE.toMillis());
            scheduler.shutdown();
            assertThat(scheduler.isRunning()).as("still running after shutdown").isFalse();
        }
    }

    /** Returns a scheduler that is not initialized yet. */
    final ThreadPoolTaskScheduler created() {
        return registered(factory.create());
    }

    final ThreadPoolTaskScheduler started() {
        return started(scheduler -> {});
    }

    final ThreadPoolTaskScheduler started(Consumer<ThreadPoolTaskScheduler> settings) {
        return started(created(), settings);
    }

    final ThreadPoolTaskScheduler startedWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
        return started(registered(factory.createWithHooks(before, after)), scheduler -> {});
    }

    private static ThreadPoolTaskScheduler started(
            ThreadPoolTaskScheduler scheduler, Consumer<ThreadPoolTaskScheduler> settings) {
        settings.accept(scheduler);
        scheduler.initialize();
        return scheduler;
    }

    private ThreadPoolTaskScheduler registered(ThreadPoolTaskScheduler scheduler) {
        schedulers.add(scheduler);
        return scheduler;
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    static void awaitDone(Future<?> future) {
        await().until(future::isDone);
    }

    /** Waits for the task and asserts that it ended well, without a result. */
    static void assertYieldsNull(Future<?> future) {
        try {
            assertThat((Object) future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .isNull();
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("the task did not end well", e);
        }
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isFalse();
    }

    static void assertFailsWith(Future<?> future, Throwable failure) {
        assertThatThrownBy(() -> future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(failure);
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isFalse();
    }

    static void assertIsCancelled(Future<?> future) {
        assertThat(future.isCancelled()).isTrue();
        assertThat(future.isDone()).isTrue();
        assertThatThrownBy(() -> future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(CancellationException.class);
    }

    static void awaitTermination(ThreadPoolTaskScheduler scheduler) {
        await().until(scheduler.getScheduledExecutor()::isTerminated);
    }

    /** Skips the test where the machine was too busy to do what came before in time. */
    static void assumeStillBefore(Instant instant) {
        assumeTrue(Instant.now().isBefore(instant), "machine too busy");
    }

    /** Watches for a while that the condition holds all the time. */
    static void staysTrue(Callable<Boolean> condition) {
        await().failFast("a condition that has to hold all the time", () -> !condition.call())
                .during(A_WHILE)
                .until(condition);
    }

    /** Passes a null where none is allowed. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    static <T> T forbiddenNull() {
        return null;
    }
}
