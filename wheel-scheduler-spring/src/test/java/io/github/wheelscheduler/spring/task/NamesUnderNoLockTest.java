package io.github.wheelscheduler.spring.task;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread that schedules a task under a name asks no future of a user's under a lock that others need to cancel. */
class NamesUnderNoLockTest {

    private static final long LONG_ENOUGH_SECONDS = 10;

    private final TaskSchedule later = TaskSchedule.once(Instant.now().plus(Duration.ofHours(1)));
    private final ReentrantLock lockOfExecutor = new ReentrantLock();
    private final CountDownLatch isAsked = new CountDownLatch(1);
    private final OnePool pool = new OnePool();
    private final SchedulerOfItsOwn scheduler = new SchedulerOfItsOwn();
    private final ExecutorService others = Executors.newFixedThreadPool(2);

    @AfterEach
    void end() {
        others.shutdownNow();
        pool.shutdownNow();
        scheduler.shutdown();
    }

    @Test
    void futureIsAskedUnderNoLockOfItsName() throws Exception {
        scheduler.initialize();
        TaskRegistry registry = scheduler.getTaskRegistry();
        ScheduledFuture<?> first = registry.schedule("job", () -> {}, later);
        ScheduledFuture<?> beside = registry.schedule("job~3", () -> {}, later);
        CountDownLatch isHeld = new CountDownLatch(1);
        Future<Boolean> cancels = others.submit(() -> {
            lockOfExecutor.lock();
            try {
                isHeld.countDown();
                return isAsked.await(LONG_ENOUGH_SECONDS, SECONDS) && beside.cancel(false);
            } finally {
                lockOfExecutor.unlock();
            }
        });
        Future<Boolean> schedules = others.submit(() -> {
            isHeld.await();
            assertThatIllegalArgumentException().isThrownBy(() -> registry.schedule("job", () -> {}, later));
            return !first.isCancelled();
        });
        assertThat(cancels.get(LONG_ENOUGH_SECONDS, SECONDS)).isTrue();
        assertThat(schedules.get(LONG_ENOUGH_SECONDS, SECONDS)).isTrue();
        assertThat(registry.ids()).containsExactly("job");
    }

    @SuppressWarnings("serial")
    private final class SchedulerOfItsOwn extends WheelTaskScheduler {

        @Override
        public ScheduledExecutorService getScheduledExecutor() {
            return pool;
        }
    }

    /** Runs nothing. */
    private final class OnePool extends ScheduledThreadPoolExecutor {

        OnePool() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable ignored, long delay, TimeUnit unit) {
            return new LockingFuture();
        }
    }

    private final class LockingFuture extends CompletableFuture<@Nullable Object>
            implements ScheduledFuture<@Nullable Object> {

        @Override
        public boolean isDone() {
            isAsked.countDown();
            try {
                lockOfExecutor.lockInterruptibly();
            } catch (InterruptedException ex) {
                throw new IllegalStateException("a test has ended", ex);
            }
            lockOfExecutor.unlock();
            return super.isDone();
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.ofHours(1));
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(NANOSECONDS), other.getDelay(NANOSECONDS));
        }
    }
}
