package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Says when it has started, and then holds its thread until it is released or, unless stubborn, interrupted. */
final class HeldTask implements Runnable {

    private final boolean stubborn;
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean interrupted;

    HeldTask() {
        this(false);
    }

    private HeldTask(boolean stubborn) {
        this.stubborn = stubborn;
    }

    /** Returns a task that notes an interrupt and goes on, as a task that swallows interrupts does. */
    static HeldTask stubborn() {
        return new HeldTask(true);
    }

    @Override
    public void run() {
        started.countDown();
        while (holds()) {
            interrupted = true;
            if (!stubborn) {
                break;
            }
        }
        ended.countDown();
    }

    /** Returns false when released and true when interrupted. */
    private boolean holds() {
        try {
            released.await();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    HeldTask awaitStart() {
        assertThat(startsWithin(SchedulerFixture.PATIENCE)).as("task started").isTrue();
        return this;
    }

    boolean startsWithin(Duration limit) {
        return countedDown(started, limit);
    }

    void release() {
        released.countDown();
    }

    HeldTask awaitEnd() {
        assertThat(countedDown(ended, SchedulerFixture.PATIENCE))
                .as("task ended")
                .isTrue();
        return this;
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    boolean wasInterrupted() {
        return interrupted;
    }

    private static boolean countedDown(CountDownLatch latch, Duration limit) {
        try {
            return latch.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a task", e);
        }
    }
}
