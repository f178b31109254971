package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.netty.util.Timeout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Random calls of several threads until a stop at any time: each timeout has one outcome, and the counts are right. */
@ExtendWith(Quiet.class)
class TimerModelTest {

    private static final int CALLERS = 3;
    private static final int ROUNDS = Scale.of(60, 2_000);

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final ExecutorService pool = Executors.newFixedThreadPool(3);

    @AfterEach
    void stop() {
        executor.shutdownNow();
        pool.shutdownNow();
    }

    @Test
    void eachTimeoutHasOneOutcome() {
        Seed.play(random -> {
            for (int round = 0; round < ROUNDS; round++) {
                playRound(random.split());
            }
        });
    }

    private void playRound(SplittableRandom random) throws InterruptedException {
        WheelNettyTimerBuilder builder = WheelNettyTimer.builder(executor);
        if (random.nextBoolean()) {
            builder.maxConcurrent(1 + random.nextInt(4));
        }
        boolean isBounded = random.nextBoolean();
        long bound = isBounded ? 1 + random.nextInt(50) : Long.MAX_VALUE;
        if (isBounded) {
            builder.maxPendingTimeouts(bound);
        }
        if (random.nextInt(3) == 0) {
            builder.taskExecutor(WheelNettyTimerContractTest.refusing(pool));
        }
        WheelNettyTimer timer = builder.build();
        List<Caller> callers = new ArrayList<>();
        CountDownLatch begin = new CountDownLatch(1);
        for (int i = 0; i < CALLERS; i++) {
            Caller caller = new Caller(timer, bound, begin, random.split());
            caller.start();
            callers.add(caller);
        }
        begin.countDown();
        boolean isStoppedInBetween = random.nextInt(4) != 0;
        if (isStoppedInBetween) {
            int progress = random.nextInt(Caller.CALLS * CALLERS);
            awaitThat(() ->
                    callers.stream().mapToLong(caller -> caller.calls.get()).sum() >= progress);
        } else {
            for (Caller caller : callers) {
                caller.join();
            }
        }
        Set<Timeout> returned = Collections.newSetFromMap(new IdentityHashMap<>());
        returned.addAll(timer.stop());
        assertThat(timer.pendingTimeouts()).as("pending after the stop").isLessThanOrEqualTo(CALLERS);
        for (Caller caller : callers) {
            caller.join();
            assertThat(caller.failure).isNull();
        }
        assertThat(timer.pendingTimeouts()).as("pending in the end").isZero();
        Set<Timeout> seen = new HashSet<>();
        for (Caller caller : callers) {
            for (Caller.Entry entry : caller.entries) {
                seen.add(entry.timeout);
                entry.check(returned.contains(entry.timeout));
            }
        }
        assertThat(seen).as("all that were returned").containsAll(returned);
    }

    private static final class Caller extends Thread {

        static final int CALLS = 400;

        final List<Entry> entries = new ArrayList<>();
        final AtomicLong calls = new AtomicLong();
        private final WheelNettyTimer timer;
        private final long bound;
        private final CountDownLatch begin;
        private final SplittableRandom random;
        volatile Throwable failure;

        Caller(WheelNettyTimer timer, long bound, CountDownLatch begin, SplittableRandom random) {
            this.timer = timer;
            this.bound = bound;
            this.begin = begin;
            this.random = random;
        }

        @Override
        public void run() {
            try {
                begin.await();
                for (int i = 0; i < CALLS; i++) {
                    calls.incrementAndGet();
                    call();
                }
            } catch (Throwable ex) {
                failure = ex;
            }
        }

        private void call() {
            if (random.nextInt(3) != 0 || entries.isEmpty()) {
                Entry entry = new Entry();
                try {
                    entry.timeout = timer.newTimeout(entry.task, delayMicros(), MICROSECONDS);
                    entries.add(entry);
                } catch (RejectedExecutionException ex) {
                    assertThat(bound).isNotEqualTo(Long.MAX_VALUE);
                } catch (IllegalStateException ex) {
                    assertThat(ex).hasMessageEndingWith("has been stopped");
                }
            } else {
                Entry entry = entries.get(random.nextInt(entries.size()));
                if (entry.timeout.cancel()) {
                    entry.cancels++;
                }
            }
            assertThat(timer.pendingTimeouts()).isBetween(0L, bound);
        }

        private long delayMicros() {
            return switch (random.nextInt(4)) {
                case 0 -> -random.nextLong(2);
                case 1 -> random.nextLong(100);
                case 2 -> random.nextLong(3_000);
                default -> Long.MAX_VALUE - random.nextLong(10);
            };
        }

        private static final class Entry {

            final Counter task = new Counter();
            Timeout timeout;
            int cancels;

            void check(boolean isReturned) {
                int runs = task.runs.get();
                assertThat(runs + cancels + (isReturned ? 1 : 0))
                        .as("outcomes: run %s times, cancelled %s times, returned: %s", runs, cancels, isReturned)
                        .isEqualTo(1);
                assertThat(timeout.isExpired()).isEqualTo(runs == 1);
                assertThat(timeout.isCancelled()).isEqualTo(runs == 0);
                assertThat(task.cancellations.get())
                        .as("times that the task was told")
                        .isEqualTo(cancels);
            }
        }
    }
}
