package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitLatch;
import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static io.github.wheelscheduler.netty.TimerContract.NOTHING;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tasks on an executor of the user's, which may refuse, drop, block or throw. */
@ExtendWith(Quiet.class)
class TaskHandoffTest {

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final ExecutorService pool = Executors.newFixedThreadPool(4);

    @AfterEach
    void stop() {
        executor.shutdownNow();
        pool.shutdownNow();
    }

    private WheelNettyTimer timerOn(Executor given) {
        return WheelNettyTimer.builder(executor).taskExecutor(given).build();
    }

    @Test
    void tasksRunOnTheGivenExecutorInOrder() {
        WheelNettyTimer timer = timerOn(pool);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        Set<Thread> threads = Collections.synchronizedSet(new HashSet<>());
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            timer.newTimeout(
                    timeout -> {
                        threads.add(Thread.currentThread());
                        order.add(number);
                    },
                    5,
                    MILLISECONDS);
        }
        awaitThat(() -> order.size() == 1_000);
        assertThat(order).isEqualTo(IntStream.range(0, 1_000).boxed().toList());
        assertThat(threads).allMatch(thread -> thread.getName().startsWith("pool-"));
    }

    @Test
    void refusedTaskIsOfferedAgainAndOvertakenByNone() {
        AtomicInteger calls = new AtomicInteger();
        WheelNettyTimer timer = timerOn(task -> {
            if (calls.incrementAndGet() % 3 != 0) {
                throw new RejectedExecutionException("refused, expected in this test");
            }
            pool.execute(task);
        });
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 100; i++) {
            int number = i;
            timer.newTimeout(timeout -> order.add(number), 1, MILLISECONDS);
        }
        awaitThat(() -> order.size() == 100);
        assertThat(order).isEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(timer.pendingTimeouts()).isZero();
        assertThat(calls).hasValue(300);
    }

    @Test
    void tasksRunOnAnExecutorWithAFailingIsShutdown() {
        ThreadPoolExecutor silent = new ThreadPoolExecutor(1, 1, 0, SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            public boolean isShutdown() {
                throw new IllegalStateException("expected in this test");
            }
        };
        WheelNettyTimer timer = timerOn(silent);
        Counter first = new Counter();
        Counter second = new Counter();
        timer.newTimeout(first, 1, MILLISECONDS);
        timer.newTimeout(second, 2, MILLISECONDS);
        second.awaitRun();
        assertThat(first.runs).hasValue(1);
        assertThat(timer.pendingTimeouts()).isZero();
        List<Runnable> left = silent.shutdownNow();
        assertThat(left).isEmpty();
    }

    @Test
    void taskThatIsRefusedForAWhileRunsLater() {
        AtomicBoolean open = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        WheelNettyTimer timer = timerOn(task -> {
            calls.incrementAndGet();
            if (!open.get()) {
                throw new RejectedExecutionException("refused, expected in this test");
            }
            pool.execute(task);
        });
        Counter task = new Counter();
        Timeout timeout = timer.newTimeout(task, 0, HOURS);
        awaitThat(() -> calls.get() >= 3);
        assertThat(timeout.isExpired()).isFalse();
        assertThat(timer.pendingTimeouts()).isEqualTo(1);
        open.set(true);
        task.awaitRun();
        assertThat(task.runs).hasValue(1);
    }

    @Test
    void refusedTaskCanBeCancelledAndHoldsNoOtherUp() {
        AtomicReference<TimerTask> refused = new AtomicReference<>();
        AtomicInteger calls = new AtomicInteger();
        WheelNettyTimer timer = timerOn(task -> {
            calls.incrementAndGet();
            if (refused.get() != null) {
                throw new RejectedExecutionException("refused, expected in this test");
            }
            pool.execute(task);
        });
        Counter first = new Counter();
        Counter second = new Counter();
        refused.set(first);
        Timeout timeout = timer.newTimeout(first, 0, HOURS);
        awaitThat(() -> calls.get() >= 2);
        timer.newTimeout(second, 0, HOURS);
        assertThat(timeout.cancel()).isTrue();
        first.awaitCancellation();
        refused.set(null);
        second.awaitRun();
        assertThat(first.runs).hasValue(0);
    }

    @Test
    void stopReturnsATaskThatIsRefusedForEver() {
        AtomicInteger calls = new AtomicInteger();
        WheelNettyTimer timer = timerOn(task -> {
            calls.incrementAndGet();
            throw new RejectedExecutionException("refused, expected in this test");
        });
        Timeout first = timer.newTimeout(NOTHING, 0, HOURS);
        Timeout second = timer.newTimeout(NOTHING, 0, HOURS);
        awaitThat(() -> calls.get() >= 2);
        assertThat(timer.stop()).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void refusalsAreLoggedOnceAMinuteAtMost() {
        Quiet.setQuiet(false);
        try (LogCapture log = new LogCapture()) {
            AtomicInteger calls = new AtomicInteger();
            WheelNettyTimer timer = timerOn(task -> {
                calls.incrementAndGet();
                throw new RejectedExecutionException("refused, expected in this test");
            });
            timer.newTimeout(NOTHING, 0, HOURS);
            awaitThat(() -> calls.get() >= 3);
            assertThat(timer.stop()).hasSize(1);
            assertThat(log.said("The executor of " + timer.name() + " rejected a task"))
                    .hasSize(1);
        } finally {
            Quiet.setQuiet(true);
        }
    }

    @Test
    void taskThatIsTakenAndRefusedAtOnceRunsOnce() {
        WheelNettyTimer timer = timerOn(task -> {
            pool.execute(task);
            pool.execute(task);
            throw new IllegalStateException("of an executor that has taken it, expected in this test");
        });
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            timer.newTimeout(
                    timeout -> {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        runs.incrementAndGet();
                        Thread.onSpinWait();
                        inside.decrementAndGet();
                    },
                    1,
                    MILLISECONDS);
        }
        awaitThat(() -> timer.pendingTimeouts() == 0 && inside.get() == 0);
        assertThat(timer.stop()).isEmpty();
        assertThat(runs).hasValue(200);
        assertThat(most).hasValue(1);
    }

    @Test
    void executorThatRunsTasksInTheCallerIsFine() {
        WheelNettyTimer timer = timerOn(Runnable::run);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        timer.newTimeout(
                timeout -> {
                    try {
                        timer.stop();
                    } catch (Throwable ex) {
                        thrown.set(ex);
                    }
                },
                0,
                HOURS);
        Counter next = new Counter();
        timer.newTimeout(next, 1, MILLISECONDS);
        next.awaitRun();
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
        Gate gate = new Gate();
        timer.newTimeout(gate, 0, HOURS);
        gate.awaitArrival();
        Timeout left = timer.newTimeout(NOTHING, 0, HOURS);
        assertThat(timer.stop()).containsExactly(left);
        assertThat(gate.interrupts()).isEqualTo(1);
    }

    @Test
    void noMoreIsHandedOverThanMayRun() {
        Queue<Runnable> taken = new ConcurrentLinkedQueue<>();
        WheelNettyTimer timer = WheelNettyTimer.builder(executor)
                .maxConcurrent(2)
                .taskExecutor(taken::add)
                .build();
        List<Counter> tasks = List.of(new Counter(), new Counter(), new Counter(), new Counter());
        List<Timeout> timeouts =
                tasks.stream().map(task -> timer.newTimeout(task, 0, HOURS)).toList();
        awaitThat(() -> taken.size() == 2);
        Patience.awaitTime(Duration.ofMillis(20));
        assertThat(taken).hasSize(2);
        // A timeout that has been handed over and has not begun can be cancelled, as can one that waits.
        assertThat(timeouts.get(0).cancel()).isTrue();
        assertThat(timeouts.get(2).cancel()).isTrue();
        taken.remove().run();
        taken.remove().run();
        awaitThat(() -> taken.size() == 1);
        Runnable last = taken.remove();
        last.run();
        last.run();
        assertThat(tasks).extracting(counter -> counter.runs.get()).containsExactly(0, 1, 0, 1);
        assertThat(timer.pendingTimeouts()).isZero();
    }

    @Test
    void stopReturnsTheTasksThatAnExecutorDropsAndNoneRuns() {
        Queue<Runnable> dropped = new ConcurrentLinkedQueue<>();
        WheelNettyTimer timer = timerOn(dropped::add);
        Counter task = new Counter();
        Timeout first = timer.newTimeout(task, 0, HOURS);
        Timeout second = timer.newTimeout(task, 0, HOURS);
        awaitThat(() -> dropped.size() == 1);
        assertThat(timer.stop()).containsExactlyInAnyOrder(first, second);
        dropped.remove().run();
        assertThat(task.runs).hasValue(0);
    }

    @Test
    void stopInterruptsTheTaskAndNotWhatItsThreadDoesNext() throws Exception {
        WheelNettyTimer timer = timerOn(pool);
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Boolean> wasInterrupted = new AtomicReference<>();
        timer.newTimeout(
                timeout -> {
                    begun.countDown();
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                },
                0,
                HOURS);
        awaitLatch(begun);
        assertThat(timer.stop()).isEmpty();
        for (int i = 0; i < 20; i++) {
            pool.submit(() -> {
                        if (Thread.currentThread().isInterrupted()) {
                            wasInterrupted.set(true);
                        }
                    })
                    .get();
        }
        assertThat(wasInterrupted.get()).isNull();
        assertThat(pool.isShutdown()).isFalse();
    }

    @Test
    void stoppedExecutorAwaitsNoRefusedOrDroppedTask() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        WheelNettyTimer refused = timerOn(task -> {
            calls.incrementAndGet();
            throw new RejectedExecutionException("refused, expected in this test");
        });
        Queue<Runnable> dropped = new ConcurrentLinkedQueue<>();
        WheelNettyTimer lost = timerOn(dropped::add);
        List<Timeout> timeouts = List.of(
                refused.newTimeout(NOTHING, 0, HOURS),
                lost.newTimeout(NOTHING, 0, HOURS),
                lost.newTimeout(NOTHING, 0, HOURS));
        awaitThat(() -> calls.get() > 0 && dropped.size() == 1);
        executor.shutdownNow();
        assertThat(executor.awaitTermination(Patience.PATIENCE.toSeconds(), SECONDS))
                .isTrue();
        assertThat(refused.stop()).containsExactly(timeouts.get(0));
        assertThat(lost.stop()).containsExactlyInAnyOrder(timeouts.get(1), timeouts.get(2));
    }

    @Test
    void stopReturnsTasksRefusedAfterShutdown() {
        WheelNettyTimer onPool = timerOn(pool);
        WheelNettyTimer onItself = timerOn(executor);
        List<Timeout> timeouts = List.of(
                onPool.newTimeout(NOTHING, 20, MILLISECONDS),
                onPool.newTimeout(NOTHING, 20, MILLISECONDS),
                onItself.newTimeout(NOTHING, 20, MILLISECONDS));
        pool.shutdown();
        // Waits until all that is delayed has had its turn.
        executor.close();
        assertThat(timeouts).noneMatch(Timeout::isExpired);
        assertThat(onPool.stop()).containsExactlyInAnyOrder(timeouts.get(0), timeouts.get(1));
        assertThat(onItself.stop()).containsExactly(timeouts.get(2));
    }

    @Test
    void taskDroppedByAShutdownHoldsNoOtherUp() {
        AtomicInteger accepted = new AtomicInteger();
        ThreadPoolExecutor single = new ThreadPoolExecutor(1, 1, 0, SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            public void execute(Runnable task) {
                super.execute(task);
                int ignored = accepted.incrementAndGet();
            }
        };
        CountDownLatch busy = new CountDownLatch(1);
        Future<?> other = single.submit(() -> {
            busy.countDown();
            Thread.sleep(Patience.PATIENCE.toMillis());
            return null;
        });
        awaitLatch(busy);
        WheelNettyTimer timer = timerOn(single);
        Timeout dropped = timer.newTimeout(NOTHING, 0, HOURS);
        Timeout next = timer.newTimeout(NOTHING, 0, HOURS);
        // Before it returns, a shutdown lets it take its task out of the queue and refuse it.
        awaitThat(() -> accepted.get() == 2);
        assertThat(single.shutdownNow()).hasSize(1);
        executor.close();
        assertThat(timer.stop()).containsExactlyInAnyOrder(dropped, next);
        awaitThat(other::isDone);
    }

    @Test
    void stopInterruptsAnExecutorThatBlocks() {
        CountDownLatch blocked = new CountDownLatch(1);
        WheelNettyTimer timer = timerOn(task -> {
            blocked.countDown();
            try {
                Thread.sleep(Patience.PATIENCE.toMillis());
            } catch (InterruptedException ex) {
                throw new RejectedExecutionException("interrupted, expected in this test", ex);
            }
        });
        Timeout left = timer.newTimeout(NOTHING, 0, HOURS);
        awaitLatch(blocked);
        assertThat(timer.stop()).containsExactly(left);
    }
}
