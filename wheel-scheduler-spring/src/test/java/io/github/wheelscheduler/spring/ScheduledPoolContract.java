package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * What code may rely on that asks a scheduler for its {@link ScheduledThreadPoolExecutor}, beyond the contract of an
 * executor. Spring's own pool keeps it, and ours.
 */
@SuppressWarnings({"FutureReturnValueIgnored", "CollectionUndefinedEquality"}) // futures are compared by identity
abstract class ScheduledPoolContract {

    private static final Duration HOUR = Duration.ofHours(1);

    final ThreadPoolTaskScheduler scheduler;
    private final AtomicInteger runs = new AtomicInteger();
    private final Gate gate = new Gate();

    ScheduledPoolContract(ThreadPoolTaskScheduler scheduler) {
        this.scheduler = scheduler;
        scheduler.setPoolSize(4);
        scheduler.setRemoveOnCancelPolicy(true);
    }

    @BeforeEach
    void initialize() {
        assertThatIllegalStateException().isThrownBy(scheduler::getScheduledThreadPoolExecutor);
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        gate.open();
        scheduler.shutdown();
    }

    private ScheduledThreadPoolExecutor pool() {
        return scheduler.getScheduledThreadPoolExecutor();
    }

    private Instant inAnHour() {
        return Instant.now().plus(HOUR);
    }

    @Test
    void poolAndQueueAreTheSameEachTime() {
        assertThat(pool()).isSameAs(pool());
        assertThat(pool().getQueue()).isSameAs(pool().getQueue());
    }

    @Test
    void futuresThatWereReturnedAreInTheQueue() {
        List<Future<?>> futures = List.of(
                scheduler.schedule(runs::incrementAndGet, inAnHour()),
                scheduler.scheduleAtFixedRate(runs::incrementAndGet, inAnHour(), HOUR),
                scheduler.scheduleWithFixedDelay(runs::incrementAndGet, inAnHour(), HOUR),
                pool().schedule(runs::incrementAndGet, 1, HOURS),
                pool().schedule(() -> "called", 1, HOURS),
                pool().scheduleAtFixedRate(runs::incrementAndGet, 1, 1, HOURS));
        assertThat(pool().getQueue()).hasSize(6).allMatch(futures::contains);
        assertThat(futures).allMatch(pool().getQueue()::contains);
        assertThat(pool().getQueue().toArray()).containsExactlyInAnyOrder(futures.toArray());
        assertThat(pool().getQueue().stream().toList()).hasSize(6);
    }

    @Test
    void queueIsLive() {
        var queue = pool().getQueue();
        assertThat(queue).isEmpty();
        ScheduledFuture<?> later = pool().schedule(runs::incrementAndGet, 2, HOURS);
        ScheduledFuture<?> first = pool().schedule(runs::incrementAndGet, 1, HOURS);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.peek()).isSameAs(first);
        assertThat(first.cancel(false)).isTrue();
        assertThat(queue.contains(first)).isFalse();
        assertThat(queue.peek()).isSameAs(later);
        assertThat(queue.remainingCapacity()).isEqualTo(Integer.MAX_VALUE);
        assertThat(queue.poll()).isNull();
        assertThat(queue.drainTo(new ArrayList<>())).isZero();
        assertThat(queue).hasSize(1);
    }

    @Test
    void removedTaskNeverRunsAndIsNotCancelled() {
        ScheduledFuture<?> rate = scheduler.scheduleAtFixedRate(runs::incrementAndGet, inAnHour(), HOUR);
        ScheduledFuture<?> once = scheduler.schedule(runs::incrementAndGet, inAnHour());
        for (ScheduledFuture<?> future : List.of(rate, once)) {
            assertThat(pool().remove((Runnable) future)).isTrue();
            assertThat(pool().remove((Runnable) future)).isFalse();
            assertThat(future.isDone()).isFalse();
            assertThat(future.cancel(false)).isTrue();
        }
        assertThat(pool().getQueue()).isEmpty();
        assertThat(pool().remove(() -> {})).isFalse();
    }

    @Test
    void queueRemovesByIteratorAndAll() {
        pool().schedule(runs::incrementAndGet, 1, HOURS);
        pool().schedule(runs::incrementAndGet, 1, HOURS);
        scheduler.scheduleAtFixedRate(runs::incrementAndGet, inAnHour(), HOUR);
        Iterator<Runnable> elements = pool().getQueue().iterator();
        assertThat(elements.next()).isNotNull();
        elements.remove();
        assertThatIllegalStateException().isThrownBy(elements::remove);
        assertThat(pool().getQueue()).hasSize(2);
        pool().getQueue().clear();
        assertThat(pool().getQueue()).isEmpty();
    }

    @Test
    void purgeLeavesNoCancelledTask() {
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            futures.add(pool().schedule(runs::incrementAndGet, 1, HOURS));
        }
        futures.subList(0, 99).forEach(future -> future.cancel(false));
        pool().purge();
        assertThat(pool().getQueue()).singleElement().isSameAs(futures.get(99));
        // The JDK's pool counts a thread that is starting.
        awaitThat(() -> pool().getTaskCount() == 1);
    }

    @Test
    void countsAreTrue() {
        assertThat(pool().getPoolSize()).isZero();
        for (int i = 0; i < 3; i++) {
            pool().execute(gate);
        }
        gate.awaitArrivals(3);
        pool().schedule(runs::incrementAndGet, 1, HOURS);
        awaitThat(() -> pool().getActiveCount() == 3);
        assertThat(pool().getPoolSize()).isGreaterThanOrEqualTo(3);
        assertThat(pool().getTaskCount()).isEqualTo(4);
        assertThat(pool().getCompletedTaskCount()).isZero();
        gate.open();
        awaitThat(() -> pool().getCompletedTaskCount() == 3);
        assertThat(pool().getActiveCount()).isZero();
        assertThat(pool().getLargestPoolSize()).isGreaterThanOrEqualTo(3).isGreaterThanOrEqualTo(pool().getPoolSize());
        assertThat(pool().getTaskCount()).isEqualTo(4);
    }

    @Test
    void textSaysWhatThePoolDoes() {
        assertThat(pool().toString())
                .contains("[Running, pool size = 0, active threads = 0, queued tasks = 0, completed tasks = 0]");
        pool().execute(gate);
        gate.awaitArrivals(1);
        assertThat(pool().toString()).contains("active threads = 1", "queued tasks = 0");
        pool().shutdown();
        assertThat(pool().toString()).contains("[Shutting down, pool size = ");
        gate.open();
        awaitThat(pool()::isTerminated);
        assertThat(pool().toString()).contains("[Terminated, ", "completed tasks = 1]");
    }

    @Test
    void policiesDecideAtShutdown() {
        assertThat(pool().getExecuteExistingDelayedTasksAfterShutdownPolicy()).isTrue();
        assertThat(pool().getContinueExistingPeriodicTasksAfterShutdownPolicy()).isFalse();
        pool().setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        Future<?> dropped = scheduler.schedule(runs::incrementAndGet, inAnHour());
        Future<?> rate = scheduler.scheduleAtFixedRate(runs::incrementAndGet, inAnHour(), HOUR);
        pool().shutdown();
        assertThat(dropped.isCancelled()).isTrue();
        assertThat(rate.isCancelled()).isTrue();
        awaitThat(pool()::isTerminated);
        assertThat(pool().isTerminating()).isFalse();
    }

    @Test
    void policyOfThePoolIsThatOfTheScheduler() {
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        assertThat(pool().getExecuteExistingDelayedTasksAfterShutdownPolicy()).isFalse();
        pool().setExecuteExistingDelayedTasksAfterShutdownPolicy(true);
        Future<?> kept = scheduler.schedule(runs::incrementAndGet, Instant.now().plusMillis(50));
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationSeconds(20);
        scheduler.shutdown();
        assertThat(kept).isDone().isNotCancelled();
        assertThat(runs).hasValue(1);
    }

    @Test
    void shutdownOfThePoolRejectsTasksOfTheScheduler() {
        pool().execute(gate);
        gate.awaitArrivals(1);
        pool().shutdown();
        assertThat(pool().isShutdown()).isTrue();
        assertThat(pool().isTerminating()).isTrue();
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> scheduler.schedule(runs::incrementAndGet, inAnHour()));
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> pool().schedule(runs::incrementAndGet, 1, HOURS));
    }

    @Test
    void shutdownNowReturnsTheFutures() throws InterruptedException {
        Future<?> once = scheduler.schedule(runs::incrementAndGet, inAnHour());
        Future<?> rate = scheduler.scheduleAtFixedRate(runs::incrementAndGet, inAnHour(), HOUR);
        pool().execute(gate);
        gate.awaitArrivals(1);
        List<Runnable> neverRan = pool().shutdownNow();
        assertThat(neverRan).hasSize(2).allMatch(List.of(once, rate)::contains);
        assertThat(pool().awaitTermination(PATIENCE.toSeconds(), SECONDS)).isTrue();
        assertThat(gate.interrupts()).isEqualTo(1);
    }

    @Test
    void tasksRunOnceOnThreadsOfTheScheduler() throws Exception {
        Callable<String> thread = () -> Thread.currentThread().getName();
        String prefix = scheduler.getThreadNamePrefix();
        assertThat(pool().submit(thread).get(PATIENCE.toSeconds(), SECONDS)).startsWith(prefix);
        assertThat(pool().invokeAny(List.of(thread))).startsWith(prefix);
        assertThat(pool().invokeAny(List.of(thread), 20, SECONDS)).startsWith(prefix);
        assertThat(pool().invokeAll(List.of(thread, thread))).allMatch(Future::isDone);
        assertThat(pool().invokeAll(List.of(thread, thread), 20, SECONDS)).allMatch(Future::isDone);
        assertThat(pool().submit(runs::incrementAndGet, "result").get(PATIENCE.toSeconds(), SECONDS))
                .isEqualTo("result");
        pool().scheduleWithFixedDelay(runs::incrementAndGet, 0, 1, HOURS);
        awaitThat(() -> runs.get() == 2);
    }

    @Test
    void threadsAreThoseOfTheScheduler() {
        assertThat(pool().getThreadFactory()).isSameAs(scheduler);
        assertThat(pool().getRejectedExecutionHandler()).isNotNull();
        assertThat(pool().getRemoveOnCancelPolicy()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> pool().setMaximumPoolSize(0));
    }

    @Test
    @SuppressWarnings("NullAway") // what is passed is forbidden
    void nullIsRefused() {
        assertThatNullPointerException().isThrownBy(() -> pool().execute(null));
        assertThatNullPointerException().isThrownBy(() -> pool().submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> pool().getQueue().offer(null));
        assertThatNullPointerException().isThrownBy(() -> pool().getQueue().drainTo(null));
        assertThatIllegalArgumentException().isThrownBy(() -> pool().getQueue().drainTo(pool().getQueue()));
    }

    /** From JDK 19 on. */
    @Test
    void closeWaitsForTheEnd() throws Exception {
        ExecutorService pool = pool();
        if (pool instanceof AutoCloseable closeable) {
            Future<?> soon = pool().schedule(runs::incrementAndGet, 20, MILLISECONDS);
            closeable.close();
            assertThat(soon).isDone();
            assertThat(pool.isTerminated()).isTrue();
        }
    }
}
