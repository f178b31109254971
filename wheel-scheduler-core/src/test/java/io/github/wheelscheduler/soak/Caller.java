package io.github.wheelscheduler.soak;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that schedules one-time timers, most of them soon due, and cancels and moves some of them. */
final class Caller implements Runnable {

    private static final long NEAR_NANOS = 50 * Nap.MILLI;
    private static final long FAR_NANOS = 60 * Nap.SECOND;
    private static final int LONGEST_BATCH = 40;
    private static final long LONGEST_PAUSE_NANOS = 2 * Nap.MILLI;

    private final WheelScheduledExecutor executor;
    private final OneTimeLedger ledger;
    private final SplittableRandom random;
    private final Thread thread;

    /** The timers of the ledger's numbers. Only the caller's thread uses it, and who has waited for its end. */
    private final @Nullable WheelTimer<?>[] timers;

    private int next;

    private volatile boolean ending;

    Caller(WheelScheduledExecutor executor, OneTimeLedger ledger, SplittableRandom random, String name) {
        this.executor = executor;
        this.ledger = ledger;
        this.random = random;
        this.timers = new WheelTimer<?>[ledger.size()];
        this.thread = new Thread(this, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Makes the thread end, and brings near or cancels what is far from due. */
    void end() throws InterruptedException {
        ending = true;
        thread.join();
        for (int number = 0; number < timers.length; number++) {
            if (ledger.isArmed(number)) {
                moveOrCancel(number, random.nextBoolean());
            }
        }
    }

    @Override
    public void run() {
        while (!ending) {
            try {
                for (int i = random.nextInt(LONGEST_BATCH); i > 0; i--) {
                    step();
                }
                LockSupport.parkNanos(random.nextLong(LONGEST_PAUSE_NANOS));
            } catch (OutOfMemoryError ex) {
                // Goes on; what the call was about has been written down.
            }
        }
    }

    private void step() {
        int number = next;
        next = (next + 1) % timers.length;
        if (ledger.isFree(number)) {
            schedule(number);
        } else if (ledger.isArmed(number)) {
            moveOrCancel(number, random.nextInt(4) > 0);
        }
        if (random.nextInt(4) == 0) {
            int earlier = (next - 1 - random.nextInt(64) + timers.length) % timers.length;
            if (ledger.isArmed(earlier)) {
                moveOrCancel(earlier, random.nextBoolean());
            }
        }
    }

    private void schedule(int number) {
        long delayNanos = randomDelay();
        Runnable task = ledger.arm(number, executor.nanoTime() + delayNanos);
        timers[number] = null;
        try {
            timers[number] = executor.schedule(task, delayNanos, NANOSECONDS);
            ledger.accepted();
        } catch (RejectedExecutionException ex) {
            ledger.refused(number);
        } catch (Throwable ex) {
            ledger.inDoubt(number);
        }
    }

    private long randomDelay() {
        int kind = random.nextInt(100);
        return kind < 10 ? 0 : kind < 97 ? random.nextLong(NEAR_NANOS) : FAR_NANOS;
    }

    private void moveOrCancel(int number, boolean isMove) {
        WheelTimer<?> timer = timers[number];
        if (timer == null) {
            return;
        }
        try {
            if (isMove) {
                move(timer, number);
            } else if (timer.cancel(false)) {
                ledger.cancelled(number);
            }
        } catch (OutOfMemoryError ex) {
            // Thrown before it is cancelled, or by what follows.
            if (timer.isCancelled()) {
                ledger.cancelled(number);
            }
        }
    }

    private void move(WheelTimer<?> timer, int number) {
        long delayNanos = random.nextLong(NEAR_NANOS);
        long deadlineNanos = executor.nanoTime() + delayNanos;
        ledger.moving(number, deadlineNanos);
        try {
            if (timer.reschedule(delayNanos, NANOSECONDS)) {
                ledger.moved(number, deadlineNanos);
            }
        } catch (OutOfMemoryError ex) {
            // It has the deadline of before, or has run by the new one before that was taken back.
        }
    }
}
