package io.github.wheelscheduler.lease;

import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import io.github.wheelscheduler.timers.DurationRules;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lease that is renewed until it is closed or lost. All methods may be called from any thread.
 *
 * @param <K> the type of the keys
 */
public final class Lease<K> implements AutoCloseable {

    /*
     * A lease is KEPT until it is LOST or CLOSED, once. The thread that moves it does what follows: tells, counts,
     * waits. A renewal is active while there is a runner. If the lease ends meanwhile, the renewal changes nothing
     * any more.
     */
    enum State {
        KEPT,
        LOST,
        CLOSED
    }

    private static final int RENEWALS_A_LEASE = 3;
    private static final int FIRST_PAUSE_PART = 60;
    private static final int LONGEST_PAUSE_PART = 10;
    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

    private final LeaseRenewer<K> renewer;
    private final KeptKey<K> key;
    private final long leaseNanos;
    private final long marginNanos;
    private final LossListener<? super K> listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    // Written under the lock; state, granted and runner are read by any thread, the others under the lock.

    private volatile State state = State.KEPT;

    /** The start of the last renewal that succeeded; of the acquisition before. */
    private volatile LeaseStart granted;

    /** The start of the last renewal; of the acquisition before. */
    private LeaseStart attempt;

    private volatile @Nullable Thread runner;

    /** Or about to be; false while one is active, and where arming the next one has failed, as when memory is short. */
    private boolean isRenewalArmed;

    /** Null until it is noted. */
    private @Nullable WheelTimer<?> renewal;

    private @Nullable WheelTimer<?> loss;
    private int failuresInARow;

    Lease(
            LeaseRenewer<K> renewer,
            KeptKey<K> key,
            long leaseNanos,
            long marginNanos,
            LeaseStart granted,
            LossListener<? super K> listener) {
        this.renewer = renewer;
        this.key = key;
        this.leaseNanos = leaseNanos;
        this.marginNanos = marginNanos;
        this.granted = granted;
        this.attempt = granted;
        this.listener = listener;
    }

    public K key() {
        return key.key;
    }

    /**
     * Returns whether it is neither lost nor closed. A lease that ends at this very moment may not be reported lost
     * yet: see {@link #remaining}.
     */
    public boolean isKept() {
        return state == State.KEPT;
    }

    /** Returns how long it lasts unless it is renewed, without the margin; zero if it is over. */
    public Duration remaining() {
        return isKept() ? Duration.ofNanos(Math.max(0, nanosToLoss())) : Duration.ZERO;
    }

    /** Ends the renewals, as {@link #close(Duration)} does with the renewer's limit. The store is not notified. */
    @Override
    public void close() {
        LeaseEnd ignored = close(renewer.closeLimitNanos);
    }

    /**
     * Ends the renewals. When this has returned, no renewal begins, and an active one has ended, unless the result says
     * otherwise. The store is not notified: release the lease there afterwards.
     *
     * @param limit the time limit for an active renewal before it is interrupted, and for its end after that. If the
     *     calling thread is interrupted, it does not wait any longer, and stays interrupted
     * @return the state at the close
     */
    public LeaseEnd close(Duration limit) {
        return close(DurationRules.notNegativeNanos("limit", limit));
    }

    private LeaseEnd close(long limitNanos) {
        StackReserve.askForMore();
        if (!stop()) {
            return state == State.LOST ? LeaseEnd.LOST : LeaseEnd.CLOSED_BEFORE;
        }
        // No other renewal begins from now on.
        if (runner == Thread.currentThread()) {
            return LeaseEnd.FROM_RENEWAL;
        }
        long ignored = awaitRenewal(limitNanos);
        if (runner == null) {
            return LeaseEnd.CLOSED;
        }
        interruptRenewal();
        ignored = awaitRenewal(limitNanos);
        return runner == null ? LeaseEnd.INTERRUPTED : LeaseEnd.STILL_RENEWING;
    }

    // For the renewer

    /** Closes it without waiting for an active renewal; false if it has already been lost or closed. */
    boolean stop() {
        boolean stops = end(State.CLOSED);
        if (stops) {
            renewer.closed.incrementAndGet();
        }
        return stops;
    }

    /**
     * Waits until no renewal is active, except for one of the calling thread, and returns how much of the limit is
     * left.
     */
    long awaitRenewal(long limitNanos) {
        long left = limitNanos;
        lock.lock();
        try {
            while (runner != null && runner != Thread.currentThread() && left > 0) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        return left;
    }

    /** Interrupts an active renewal, except for one of the calling thread. */
    void interruptRenewal() {
        lock.lock();
        try {
            Thread thread = runner;
            if (thread != null && thread != Thread.currentThread()) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Arms the loss and the first renewal. */
    void begin() {
        arm(nanosToLoss());
    }

    /**
     * Begins a renewal that is due, on the calling thread; false if there is none. A lease that is over by now is lost
     * instead. If it fails, none has begun.
     */
    boolean beginRenewal() {
        // Not under the lock: the clock may be the user's.
        LeaseStart begun = LeaseStart.now(renewer.executor);
        boolean isInTime = nanosToLoss() > 0;
        lock.lock();
        try {
            isRenewalArmed = false;
            renewal = null;
            if (isKept() && runner == null && isInTime) {
                attempt = begun;
                runner = Thread.currentThread();
                return true;
            }
        } finally {
            lock.unlock();
        }
        goOn();
        return false;
    }

    /**
     * Looks once more, right before the store is asked: false if the lease has ended since the calling thread has begun
     * the renewal, or is over by now and lost instead. The renewal has ended then.
     */
    boolean goesOnWithRenewal() {
        boolean isInTime = nanosToLoss() > 0;
        boolean goesOn = false;
        lock.lock();
        try {
            goesOn = isKept() && isInTime;
        } finally {
            if (!goesOn) {
                leaveRenewal();
            }
            lock.unlock();
        }
        if (!goesOn) {
            goOn();
        }
        return goesOn;
    }

    /** Under the lock. */
    private void leaveRenewal() {
        runner = null;
        ended.signalAll();
        // An interrupt of the lease meant the renewal.
        boolean ignored = Thread.interrupted();
    }

    /** Ends the renewal that the calling thread has begun; an outcome that is not known counts as failed. */
    void endRenewal(@Nullable Outcome outcome) {
        if (outcome == Outcome.GONE) {
            // Before it ends, as another could be armed then.
            lose(LossListener.Reason.GONE);
        }
        lock.lock();
        try {
            leaveRenewal();
            if (outcome == Outcome.RENEWED) {
                granted = attempt;
                failuresInARow = 0;
                renewer.renewed.incrementAndGet();
            } else {
                failuresInARow++;
                renewer.failed.incrementAndGet();
            }
        } finally {
            lock.unlock();
        }
        goOn();
    }

    /** Arms the next renewal; a lease that is already over is lost instead. */
    void goOn() {
        long nanos = nanosToLoss();
        if (nanos > 0) {
            arm(nanos);
        } else {
            lose(LossListener.Reason.EXPIRED);
        }
    }

    /** Reports the lease as lost, unless it has been reported or closed. */
    void lose(LossListener.Reason reason) {
        if (end(State.LOST)) {
            if (renewer.isSingle) {
                interruptRenewal();
            }
            renewer.lost(this, listener, reason);
        }
    }

    /**
     * Moves it out of KEPT and removes it from its renewer; the caller does the rest; false if it has already ended.
     */
    boolean end(State how) {
        lock.lock();
        try {
            if (!isKept()) {
                return false;
            }
            state = how;
            cancel(renewal);
            cancel(loss);
            renewal = null;
            loss = null;
        } finally {
            lock.unlock();
        }
        key.isLeaving = true;
        try {
            boolean ignored = renewer.leases.remove(key, this);
        } catch (OutOfMemoryError ex) {
            // It has been removed; the map has failed to count that.
        }
        return true;
    }

    private static void cancel(@Nullable WheelTimer<?> timer) {
        if (timer != null) {
            boolean ignored = timer.cancel(false);
        }
    }

    private long nanosToLoss() {
        return leaseNanos - marginNanos - granted.ageNanos(renewer.executor);
    }

    /**
     * Arms the loss first, and then the next renewal, unless one is armed or active. Not under the lock, as the
     * executor may ask a factory of the user's for a thread: what is armed is noted afterwards, or cancelled if the
     * lease has ended meanwhile.
     */
    private void arm(long nanosToLoss) {
        if (!hasMovedLoss(nanosToLoss)) {
            note(renewer.losses.schedule(this::goOn, nanosToLoss, TimeUnit.NANOSECONDS), false);
        }
        if (claimRenewal()) {
            boolean isArmed = false;
            try {
                Runnable task = () -> renewer.renewing.due(this);
                note(renewer.renewals.schedule(task, nanosToRenewal(), TimeUnit.NANOSECONDS), true);
                isArmed = true;
            } finally {
                if (!isArmed) {
                    unclaimRenewal();
                }
            }
        }
    }

    /** Returns true if the loss has moved, or none is to be armed. */
    private boolean hasMovedLoss(long nanosToLoss) {
        lock.lock();
        try {
            return !isKept() || (loss != null && loss.reschedule(nanosToLoss, TimeUnit.NANOSECONDS));
        } finally {
            lock.unlock();
        }
    }

    /** Whether the calling thread is to arm the next renewal. */
    private boolean claimRenewal() {
        lock.lock();
        try {
            boolean isClaimed = isKept() && !isRenewalArmed && runner == null;
            isRenewalArmed |= isClaimed;
            return isClaimed;
        } finally {
            lock.unlock();
        }
    }

    /** The renewal has not been armed, or has not begun: looks arm another one. */
    void unclaimRenewal() {
        lock.lock();
        try {
            isRenewalArmed = false;
        } finally {
            lock.unlock();
        }
    }

    private void note(WheelTimer<?> armed, boolean isRenewal) {
        lock.lock();
        try {
            if (!isKept()) {
                cancel(armed);
            } else if (!isRenewal) {
                // Another thread may have armed one, too.
                cancel(loss);
                loss = armed;
            } else if (isRenewalArmed && renewal == null) {
                renewal = armed;
            }
        } finally {
            lock.unlock();
        }
    }

    private long nanosToRenewal() {
        if (failuresInARow == 0) {
            return leaseNanos / RENEWALS_A_LEASE - granted.ageNanos(renewer.executor);
        }
        long longest = Math.max(SHORTEST_PAUSE_NANOS, leaseNanos / LONGEST_PAUSE_PART);
        long first = Math.max(SHORTEST_PAUSE_NANOS, leaseNanos / FIRST_PAUSE_PART);
        int doublings = Math.min(failuresInARow - 1, 10);
        return Math.min(longest, first << doublings);
    }

    /** Does not show the key, which may be a secret. */
    @Override
    public String toString() {
        return "Lease[" + state + ", remaining = " + about(remaining()) + "]";
    }
}
