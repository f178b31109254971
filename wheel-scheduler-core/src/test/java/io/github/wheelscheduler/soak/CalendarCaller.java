package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** A thread that schedules timers for instants on a wall clock that is set now and then. */
final class CalendarCaller implements Runnable {

    private static final int NUMBERS = 4_096;
    private static final long FURTHEST_NANOS = 1_500 * Nap.MILLI;
    private static final long LONGEST_PAUSE_NANOS = 2 * Nap.MILLI;

    private final WheelScheduledExecutor executor;
    private final SettableWallClock wallClock;
    private final OneTimeLedger ledger;
    private final SplittableRandom random;
    private final Thread thread = new Thread(this, "calendar-caller");
    private int next;

    private volatile boolean ending;

    CalendarCaller(
            WheelScheduledExecutor executor, SettableWallClock wallClock, Findings findings, SplittableRandom random) {
        this.executor = executor;
        this.wallClock = wallClock;
        this.ledger = new OneTimeLedger(NUMBERS, wallClock::highestNanos, findings);
        this.random = random;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    void end() throws InterruptedException {
        ending = true;
        thread.join();
    }

    OneTimeLedger ledger() {
        return ledger;
    }

    @Override
    public void run() {
        while (!ending) {
            if (ledger.isFree(next)) {
                schedule(next);
            }
            next = (next + 1) % NUMBERS;
            LockSupport.parkNanos(random.nextLong(LONGEST_PAUSE_NANOS));
        }
    }

    private void schedule(int number) {
        long instantNanos = wallClock.highestNanos() + random.nextLong(FURTHEST_NANOS);
        Runnable task = ledger.arm(number, instantNanos);
        try {
            Object ignored = executor.scheduleAt(task, wallClock.instantAt(instantNanos));
            ledger.accepted();
        } catch (RejectedExecutionException ex) {
            ledger.refused(number);
        } catch (Throwable ex) {
            ledger.inDoubt(number);
        }
    }
}
