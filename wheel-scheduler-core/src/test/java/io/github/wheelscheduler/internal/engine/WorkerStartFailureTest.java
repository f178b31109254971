package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that cannot be started is started later; nothing that was accepted is lost for it. */
class WorkerStartFailureTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** What a thread factory does instead of its work. */
    enum Failure {
        THROWS,
        RETURNS_NULL,
        RETURNS_A_STARTED_THREAD;

        /** Returns the factory that fails when it is asked for that thread, counted from 1. */
        ThreadFactory at(int failingThread, AtomicInteger asked) {
            return task -> {
                if (asked.incrementAndGet() != failingThread) {
                    return new Thread(task);
                }
                switch (this) {
                    case THROWS -> throw new OutOfMemoryError("on purpose");
                    case RETURNS_NULL -> {
                        return null;
                    }
                    default -> {
                        Thread thread = new Thread(() -> {});
                        thread.start();
                        return thread;
                    }
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void furtherWorkerIsStartedWhenWorkComes(Failure failure) throws Exception {
        WheelScheduledExecutor executor =
                build(builder -> builder.tickThreadFactory(Thread::new).threadFactory(failure.at(2, asked)));
        Gate gate = new Gate();
        executor.execute(gate);
        // The caller of execute may have started the next one already.
        awaitThat(() -> !log.messages().isEmpty());
        for (int i = 0; i < 10; i++) {
            assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        }
        gate.open();
        assertThat(log.messages()).singleElement().asString().contains("Another worker could not be started");
    }

    /** Nobody calls the executor meanwhile, and the workers that there are have long runs. */
    @Test
    void heartbeatGoesOnSoonAfterThreadsCouldNotBeStarted() {
        AtomicBoolean failing = new AtomicBoolean();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(Thread::new)
                .threadFactory(task -> {
                    if (failing.get()) {
                        asked.incrementAndGet();
                        throw new OutOfMemoryError("on purpose");
                    }
                    return new Thread(task);
                })
                .build());
        WheelTimer<?> heartbeat = executor.scheduleAtFixedRate(ran::incrementAndGet, 1, 1, MILLISECONDS);
        awaitThat(() -> ran.get() > 3);
        failing.set(true);
        Gate gate = new Gate();
        // More than there are workers: the ones that are left wait in front of the heartbeat.
        for (int i = 0; i < 16; i++) {
            executor.execute(gate);
        }
        awaitThat(() -> asked.get() > 0 && gate.arrivals() == executor.workerCount());
        int beats = ran.get();
        failing.set(false);
        awaitThat(() -> ran.get() > beats + 10);
        assertThat(heartbeat.cancel(false)).isTrue();
        gate.open();
    }

    @ParameterizedTest
    @EnumSource
    void failureOfTheFirstWorkerReachesTheCaller(Failure failure) throws Exception {
        checkFirstFailure(
                build(builder -> builder.tickThreadFactory(Thread::new).threadFactory(failure.at(1, asked))));
    }

    /** The caller of schedule has gone on by then. */
    @ParameterizedTest
    @EnumSource
    void timerWaitsUntilAFirstWorkerCanBeStarted(Failure failure) throws Exception {
        WheelScheduledExecutor executor =
                build(builder -> builder.tickThreadFactory(Thread::new).threadFactory(failure.at(1, asked)));
        assertThat(executor.schedule(() -> "ran", 1, MILLISECONDS).get(30, SECONDS))
                .isEqualTo("ran");
        assertThat(asked).hasValueGreaterThan(1);
        assertThat(log.messages()).singleElement().asString().contains("No worker could be started");
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void failureOfTheTickThreadReachesTheCaller(Failure failure) throws Exception {
        checkFirstFailure(
                build(builder -> builder.tickThreadFactory(failure.at(1, asked)).threadFactory(Thread::new)));
    }

    @ParameterizedTest
    @EnumSource
    void failureOfTheFeederReachesTheCaller(Failure failure) throws Exception {
        checkFirstFailure(
                build(builder -> builder.tickThreadFactory(failure.at(1, asked)).executor(Runnable::run)));
    }

    private void checkFirstFailure(WheelScheduledExecutor executor) throws Exception {
        assertThatThrownBy(() -> executor.schedule(ran::incrementAndGet, 0, NANOSECONDS))
                .isInstanceOfAny(
                        OutOfMemoryError.class, RejectedExecutionException.class, IllegalThreadStateException.class);
        assertThat(executor.pendingCount()).isZero();
        assertThat(EngineOf.executor(executor).pending.inUse()).isZero();

        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    void executorWhoseFirstThreadNeverStartedEndsAtOnce() {
        WheelScheduledExecutor executor = build(builder -> builder.threadFactory(task -> null));
        assertThatThrownBy(() -> executor.schedule(ran::incrementAndGet, 0, NANOSECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("must return a thread");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    private WheelScheduledExecutor build(UnaryOperator<WheelScheduledExecutorBuilder> options) {
        return stops.use(
                options.apply(WheelScheduledExecutor.builder().maxPending(2)).build());
    }
}
