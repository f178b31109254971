package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ours, built in each way in which it can be. */
@ExtendWith(Quiet.class)
class WheelNettyTimerContractTest {

    static WheelNettyTimer build(WheelNettyTimerBuilder builder, long maxPending) {
        return maxPending == 0
                ? builder.build()
                : builder.maxPendingTimeouts(maxPending).build();
    }

    @Nested
    class OneAtATime extends OneThreadTimerContract {

        final WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();

        @AfterEach
        void stop() {
            executor.shutdownNow();
        }

        @Override
        Timer create(long maxPending) {
            return build(WheelNettyTimer.builder(executor), maxPending);
        }

        @Override
        long pending(Timer timer) {
            return ((WheelNettyTimer) timer).pendingTimeouts();
        }
    }

    @Nested
    class SideBySide extends TimerContract {

        final WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();

        @AfterEach
        void stop() {
            executor.shutdownNow();
        }

        @Override
        Timer create(long maxPending) {
            return build(WheelNettyTimer.builder(executor).maxConcurrent(4), maxPending);
        }

        @Override
        long pending(Timer timer) {
            return ((WheelNettyTimer) timer).pendingTimeouts();
        }
    }

    /** Virtual ones where the JDK has them. */
    @Nested
    class OneAtATimeOnAThreadPerRun extends OneThreadTimerContract {

        final WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().threadPerRun(lightThreads()).build();

        @AfterEach
        void stop() {
            executor.shutdownNow();
        }

        @Override
        Timer create(long maxPending) {
            return build(WheelNettyTimer.builder(executor), maxPending);
        }

        @Override
        long pending(Timer timer) {
            return ((WheelNettyTimer) timer).pendingTimeouts();
        }
    }

    @Nested
    class OneAtATimeOnAGivenExecutor extends OrderedTimerContract {

        final WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        final ExecutorService pool = Executors.newFixedThreadPool(3);

        @AfterEach
        void stop() {
            executor.shutdownNow();
            pool.shutdownNow();
        }

        @Override
        Timer create(long maxPending) {
            return build(WheelNettyTimer.builder(executor).taskExecutor(refusing(pool)), maxPending);
        }

        @Override
        long pending(Timer timer) {
            return ((WheelNettyTimer) timer).pendingTimeouts();
        }
    }

    @Nested
    class SideBySideOnAGivenExecutor extends TimerContract {

        final WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        final ExecutorService pool = Executors.newFixedThreadPool(3);

        @AfterEach
        void stop() {
            executor.shutdownNow();
            pool.shutdownNow();
        }

        @Override
        Timer create(long maxPending) {
            return build(WheelNettyTimer.builder(executor).maxConcurrent(3).taskExecutor(refusing(pool)), maxPending);
        }

        @Override
        long pending(Timer timer) {
            return ((WheelNettyTimer) timer).pendingTimeouts();
        }
    }

    /** Returns an executor that refuses one in 50 tasks. */
    static Executor refusing(Executor executor) {
        AtomicLong calls = new AtomicLong();
        return task -> {
            if (calls.incrementAndGet() % 50 == 0) {
                throw new RejectedExecutionException("refused, expected in this test");
            }
            executor.execute(task);
        };
    }

    /** Returns a factory of virtual threads; of others where the JDK has none. */
    static ThreadFactory lightThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (NoSuchMethodException ex) {
            return Thread::new;
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
