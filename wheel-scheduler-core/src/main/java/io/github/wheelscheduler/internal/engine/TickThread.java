package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.inbox.Inbox;
import io.github.wheelscheduler.internal.worker.ThreadStart;
import io.github.wheelscheduler.internal.worker.WheelThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The life of the tick thread: a pass, a sleep, until the executor is stopped or has nothing left to do. */
final class TickThread implements Runnable {

    /*
     * The wheel has one owner at any time:
     *
     *   ThreadStart         owner                                  changes
     *   NONE, STARTING      a thread that holds the lock           to STARTED by the tick thread, under the lock
     *   STARTED             the tick thread; others, under the     when the tick thread lets go
     *                       lock, have errands done there
     *   GONE                a thread that holds the lock           never
     *
     * A thread that holds the lock waits for the tick thread only once that has begun; so the tick thread, which takes
     * the lock for a moment as it begins, waits for no thread that waits for it.
     */

    /** Under load, the maximum wait of a deadline for others to share a wake-up with. */
    private static final long WAKE_UP_INTERVAL_NANOS = 600_000;

    /** The number of wake-ups that may come at any distance; light load never uses them up. */
    private static final int WAKE_UP_BURST = 64;

    private static final long LONGEST_SLEEP_NANOS = Long.MAX_VALUE / 2;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 1_000_000;

    /** The number of idle passes in a row after which the thread pauses between them. */
    private static final int PASSES_IN_VAIN = 16;

    private static final long PAUSE_IN_VAIN_NANOS = 100_000;

    /** For work that must continue while virtual time stands still. */
    private final TimeSource machine = new TimeSource();

    private final Engine root;
    private final SharedWheel shared;
    private final TimeSource clock;
    private final Inbox<ScheduledTimer<?>> inbox;
    private final WakeUpBudget budget;

    /** The number of idle passes in a row, without a sleep between them. Tick thread only. */
    private int passesInVain;

    /** The last sleep has ended by itself. Tick thread only. */
    private boolean wokeUp;

    /** Counted down when the thread has released the wheel permanently. */
    private final CountDownLatch gaveUp = new CountDownLatch(1);

    /**
     * The errand for this thread, one at a time. Writers: the thread that requests it, and the tick thread, which does
     * it.
     */
    private volatile @Nullable Errand errand;

    private volatile @Nullable Thread thread;

    /** Writer: tick thread. Readers: snapshots. */
    private volatile long wakeUpCount;

    /**
     * When the thread was last known to be on time: the start of a pass, or the time that it sleeps until. A sequence
     * of passes that do nothing is not on time. As above.
     */
    private volatile long onTimeUntilNanos;

    /** The thread is about to be started, and it may never begin to run. */
    private volatile boolean isStartAsked;

    private final ThreadStart start = new ThreadStart();
    final FirstStart firstStart;

    /** Tick thread only. */
    private long passStartNanos;

    /** The number of passes that have failed in a row. Writer: tick thread. Readers: snapshots. */
    private volatile long failuresInARow;

    /** When the first of them began; written before their number. */
    private volatile long failingSinceNanos;

    private final OversleepStatistics oversleeps = new OversleepStatistics();

    TickThread(Engine root, SharedWheel shared) {
        this.root = root;
        this.shared = shared;
        this.clock = root.settings.clock();
        this.inbox = root.inbox;
        this.budget = new WakeUpBudget(WAKE_UP_INTERVAL_NANOS, WAKE_UP_BURST, clock.nanoTime());
        this.firstStart = new FirstStart(root, shared, start, this::newThread, this);
    }

    /** Makes the thread: from now on it is overdue. */
    private Thread newThread(Runnable code) {
        Thread created = WheelThreadFactory.newThread(root.settings.tickThreadFactory(), code);
        onTimeUntilNanos = clock.nanoTime();
        isStartAsked = true;
        return created;
    }

    @Override
    public void run() {
        if (!begin()) {
            return;
        }
        // Not by the clock, which is the user's: nothing fails between the begin and the frame that catches.
        passStartNanos = onTimeUntilNanos;
        thread = Thread.currentThread();
        inbox.ownedBy(Thread.currentThread());
        try {
            boolean goesOn;
            do {
                goesOn = step();
            } while (goesOn);
        } finally {
            start.end();
            gaveUp.countDown();
            runErrand();
            root.lifecycle.tickThreadEnded();
        }
    }

    /** Takes the wheel over; false if another thread has, or a stop came first: then this thread touches nothing. */
    private boolean begin() {
        while (true) {
            try {
                shared.lock.lock();
                try {
                    return start.begin();
                } finally {
                    shared.lock.unlock();
                }
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    /**
     * Does something between two passes: on the tick thread, and waits until it has, or has ended; on the calling one
     * as long as that has not begun. Under the lock.
     */
    void runBetweenPasses(Runnable work) {
        if (!start.isDecided()) {
            runInItsPlace(work);
            return;
        }
        Errand asked = new Errand(work, new CountDownLatch(1));
        errand = asked;
        if (hasGivenUp()) {
            return;
        }
        inbox.wake();
        awaitUninterruptibly(asked.done());
    }

    /** As there, without memory for it, until there is some. */
    private static void runInItsPlace(Runnable work) {
        while (true) {
            try {
                work.run();
                return;
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    /** Keeps the thread from beginning, or waits until it has released the wheel. Under the lock. */
    void giveUp() {
        if (start.giveUp()) {
            gaveUp.countDown();
        } else {
            inbox.wake();
            awaitUninterruptibly(gaveUp);
        }
    }

    /** Whether it has not begun, so that a thread with the lock looks in its place. Under the lock. */
    boolean isLacking() {
        return !start.isDecided();
    }

    /** Whether there is a tick thread, or one has been asked for. Any thread. */
    boolean isThere() {
        return start.isThere();
    }

    /** Whether the tick thread has released the wheel, or never takes it. Any thread. */
    boolean isGone() {
        return start.isGone();
    }

    private boolean hasGivenUp() {
        return gaveUp.getCount() == 0;
    }

    /** Returns how the thread is doing. Any thread. */
    WheelSnapshot.Tick look(long nowNanos) {
        WheelSnapshot.State state = state();
        boolean runs = state == WheelSnapshot.State.RUNNING;
        boolean shouldRun = runs || (isStartAsked && state == WheelSnapshot.State.NOT_STARTED);
        long sinceNanos = failuresInARow > 0 ? failingSinceNanos : onTimeUntilNanos;
        long stuckNanos = shouldRun ? Math.max(0, nowNanos - sinceNanos) : 0;
        long nextNanos = inbox.announcedNanos(nowNanos) - nowNanos;
        boolean sleepsForGood = nextNanos > LONGEST_SLEEP_NANOS / 2;
        return new WheelSnapshot.Tick(
                state,
                wakeUpCount,
                shared.watch.jumps.sum(),
                oversleeps.count,
                Duration.ofNanos(oversleeps.totalNanos),
                Duration.ofNanos(oversleeps.longestNanos(nowNanos)),
                Duration.ofNanos(stuckNanos),
                runs && !sleepsForGood ? Duration.ofNanos(Math.max(0, nextNanos)) : null);
    }

    private WheelSnapshot.State state() {
        boolean hasBegun = thread != null;
        if (hasBegun && !hasGivenUp()) {
            return WheelSnapshot.State.RUNNING;
        }
        if (root.runState.isShutdown()) {
            return WheelSnapshot.State.ENDED;
        }
        return hasBegun ? WheelSnapshot.State.DEAD : WheelSnapshot.State.NOT_STARTED;
    }

    /** Does a pass and the sleep after it; false when it was the last. A failure never ends the thread. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // failuresInARow has one writer
    private boolean step() {
        try {
            boolean goesOn = passAndSleep();
            if (failuresInARow > 0) {
                failuresInARow = 0;
            }
            return goesOn;
        } catch (Throwable ex) {
            inbox.awake();
            if (failuresInARow == 0) {
                failingSinceNanos = passStartNanos;
            }
            failuresInARow++;
            logFailure(ex, failuresInARow);
            pauseAfterFailure();
            return true;
        }
    }

    private void pauseAfterFailure() {
        if (clock.isVirtual()) {
            // Time stands still until this thread sleeps.
            LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
        } else {
            clock.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
        }
    }

    /** Logs the first failure in a row, and then ever fewer of them: there may be a thousand a second. */
    private static void logFailure(Throwable failure, long inARow) {
        try {
            if (Long.bitCount(inARow) == 1) {
                String more = inARow == 1 ? "" : " for the " + inARow + "th time in a row";
                EngineLog.log(
                        Level.ERROR,
                        "The tick thread failed" + more
                                + "; it continues, and tasks may start late. Report this stack trace, unless memory "
                                + "was short",
                        null,
                        failure);
            }
        } catch (Throwable ex) {
            // There is no other place to report it.
        }
    }

    private boolean passAndSleep() {
        shared.loop.dispatchers.beforePass();
        long nowNanos = clock.nanoTime();
        if (wokeUp) {
            wokeUp = false;
            budget.wokeUp(nowNanos);
            oversleeps.note(nowNanos - onTimeUntilNanos, nowNanos);
        }
        if (passesInVain == 0) {
            onTimeUntilNanos = nowNanos;
        }
        passStartNanos = nowNanos;
        runErrand();
        if (root.runState.isStopped()) {
            return false;
        }
        root.workers.followUp(nowNanos, WAKE_UP_INTERVAL_NANOS / 2);
        long starterNanos = startStarter(nowNanos);
        boolean slept = false;
        long sleepNanos = shared.loop.pass(nowNanos);
        if (sleepNanos > 0) {
            shared.endGroupsThatMay();
            if (root.runState.isShutdown() && root.lifecycle.leavesIf(this::isDrainedAfterShutdown)) {
                return false;
            }
            slept = sleep(nowNanos, Math.min(sleepNanos, starterNanos));
        }
        passesInVain = slept || shared.loop.pass.wasProductive() ? 0 : passesInVain + 1;
        if (passesInVain > PASSES_IN_VAIN) {
            // Usually a producer is still storing its message, and may need this processor to.
            LockSupport.parkNanos(this, PAUSE_IN_VAIN_NANOS);
        }
        return true;
    }

    /**
     * Starts the thread that starts workers if it is lacking; returns the time after which that is to be retried, if it
     * has failed.
     */
    private long startStarter(long nowNanos) {
        if (!clock.isVirtual()) {
            return shared.starter.startThread(nowNanos);
        }
        long nanos = shared.starter.startThread(machine.nanoTime());
        if (nanos != Long.MAX_VALUE) {
            // Time stands still until this thread sleeps.
            LockSupport.parkNanos(this, nanos);
            return 0;
        }
        return nanos;
    }

    /** Sleeps unless something wants this thread, and returns whether it did. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // wakeUpCount has one writer
    private boolean sleep(long nowNanos, long nanos) {
        long wantedNanos = nowNanos + Math.min(nanos, LONGEST_SLEEP_NANOS);
        long wakeUpNanos = clock.isVirtual() ? wantedNanos : budget.wakeUpAt(wantedNanos);
        boolean isOwed = root.workers.isFollowUpOwed();
        if (isOwed && wakeUpNanos - nowNanos > WAKE_UP_INTERVAL_NANOS) {
            wakeUpNanos = nowNanos + WAKE_UP_INTERVAL_NANOS;
        }
        // A postponed wake-up comes within the interval.
        root.workers.setFollowedUp(wakeUpNanos - wantedNanos > 0);
        if (!inbox.announce(wakeUpNanos)) {
            Thread.onSpinWait();
            return false;
        }
        // Callers may have handed something over meanwhile, and a worker that was told to leave it to the follow-up.
        boolean sleeps = !isAskedForSomething() && (isOwed || !root.workers.isFollowUpOwed());
        if (sleeps) {
            onTimeUntilNanos = wakeUpNanos;
            parkUntil(wakeUpNanos);
            wakeUpCount++;
            boolean ignored = Thread.interrupted();
            // No thread has woken it: it did so by itself, or for nothing.
            wokeUp = inbox.isSleepAnnounced();
        }
        inbox.awake();
        return sleeps;
    }

    private void parkUntil(long wakeUpNanos) {
        long nanos = wakeUpNanos - clock.nanoTime();
        long slackNanos = clock.slackNanos();
        if (nanos > slackNanos) {
            clock.parkNanos(this, nanos - slackNanos);
            nanos = wakeUpNanos - clock.nanoTime();
        }
        while (nanos > 0 && nanos <= slackNanos && inbox.isSleepAnnounced()) {
            Thread.onSpinWait();
            nanos = wakeUpNanos - clock.nanoTime();
        }
    }

    /** Whether something other than a message wants this thread; to be read after the announcement of a sleep. */
    private boolean isAskedForSomething() {
        return errand != null
                || root.runState.isStopped()
                || shared.starter.isThreadWanted()
                || isDrainedAfterShutdown()
                || shared.mayAnyGroupEnd()
                || shared.loop.isLittered()
                || shared.loop.dispatchers.isRoomForHeldUp()
                || shared.loop.isWanted();
    }

    /** Whether nothing is left to do after a shutdown. By the thread that has the wheel. */
    boolean isDrainedAfterShutdown() {
        // Workers before the last look: a run that has ended has posted its next one before.
        return root.runState.isShutdown()
                && !shared.loop.isAnyPending()
                && shared.areWorkersDrained()
                && shared.loop.isEmpty();
    }

    private void runErrand() {
        Errand asked = errand;
        if (asked != null) {
            if (!hasGivenUp()) {
                // An exception leaves the errand open, and the next pass retries.
                asked.work().run();
            }
            errand = null;
            asked.done().countDown();
        }
    }

    private void awaitUninterruptibly(CountDownLatch latch) {
        if (thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ex) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private record Errand(Runnable work, CountDownLatch done) {}
}
