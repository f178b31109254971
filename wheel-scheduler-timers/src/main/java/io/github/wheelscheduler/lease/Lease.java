package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import java.time.Duration;
import java.util.Objects;
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
     *             due            ended
     *   KEPT ------------> RENEWING ----> KEPT
     *    |                    |
     *    +--> LOST, CLOSED <--+     the thread that moves it there does what follows: tells, counts, waits
     *
     * A renewal that ends in LOST or CLOSED changes nothing any more.
     */

    private enum State {
        KEPT,
        RENEWING,
        LOST,
        CLOSED
    }

    private static final int RENEWALS_A_LEASE = 3;
    private static final int FIRST_PAUSE_PART = 60;
    private static final int LONGEST_PAUSE_PART = 10;
    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

    private final LeaseRenewer<K> renewer;
    private final K key;
    private final long leaseNanos;
    private final long marginNanos;
    private final LossListener<? super K> listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    // Written under the lock; state and runner are read by any thread, the others under the lock.

    private volatile State state = State.KEPT;

    /** The start of the last renewal that succeeded; of the acquisition before. */
    private LeaseStart granted;

    private @Nullable LeaseStart attempt;
    private volatile @Nullable Thread runner;
    private @Nullable WheelTimer<?> renewal;
    private @Nullable WheelTimer<?> loss;
    private int failuresInARow;

    /** Arming the next renewal has failed, as when memory is short. */
    private boolean isToBeArmed;

    Lease(
            LeaseRenewer<K> renewer,
            K key,
            long leaseNanos,
            long marginNanos,
            LeaseStart granted,
            LossListener<? super K> listener) {
        this.renewer = renewer;
        this.key = key;
        this.leaseNanos = leaseNanos;
        this.marginNanos = marginNanos;
        this.granted = granted;
        this.listener = listener;
    }

    public K key() {
        return key;
    }

    /** Returns whether it is neither lost nor closed. A lease that ends at this very moment may not be told lost yet: see {@link #remaining}. */
    public boolean isKept() {
        return isAlive();
    }

    /** Returns how long it lasts unless it is renewed, without the margin; zero if it is over. */
    public Duration remaining() {
        lock.lock();
        try {
            return isAlive() ? Duration.ofNanos(Math.max(0, nanosToLoss())) : Duration.ZERO;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the renewals, as {@link #close(Duration)} does with the renewer's limit. The store is not told. */
    @Override
    public void close() {
        LeaseEnd ignored = close(renewer.closeLimit());
    }

    /**
     * Ends the renewals. When this has returned, none begins, and one that was going on has ended, unless the answer says otherwise. The
     * store is not told: release the lease there afterwards.
     *
     * @param limit how long a renewal that is going on may take before it is interrupted, and how long it is waited for after that. If the
     *     calling thread is interrupted, it does not wait any longer, and stays interrupted
     * @return what has been found
     */
    public LeaseEnd close(Duration limit) {
        StackReserve.askForMore();
        Objects.requireNonNull(limit, "limit must not be null");
        if (limit.isNegative()) {
            throw new IllegalArgumentException("limit must not be negative, was " + limit);
        }
        if (!stop()) {
            return state == State.LOST ? LeaseEnd.LOST : LeaseEnd.CLOSED_BEFORE;
        }
        // No other renewal begins from now on.
        if (runner == Thread.currentThread()) {
            return LeaseEnd.FROM_RENEWAL;
        }
        long limitNanos = TimeUnit.NANOSECONDS.convert(limit);
        long ignored = awaitRenewal(limitNanos);
        if (runner == null) {
            return LeaseEnd.CLOSED;
        }
        interruptRenewal();
        ignored = awaitRenewal(limitNanos);
        return runner == null ? LeaseEnd.INTERRUPTED : LeaseEnd.STILL_RENEWING;
    }

    // For the renewer

    /** Closes it without waiting for a renewal that is going on; false if it has been lost or closed before. */
    boolean stop() {
        lock.lock();
        try {
            boolean stops = isAlive();
            if (stops) {
                end(State.CLOSED);
                renewer.closed(this);
            }
            return stops;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no renewal is going on, but for one of the calling thread, and returns how much of the limit is left. */
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

    /** Interrupts a renewal that is going on, but for one of the calling thread. */
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

    /** Arms the first renewal and the loss; if that fails, nothing is armed. */
    void begin() {
        lock.lock();
        try {
            armLoss();
            armNextRenewal();
        } catch (Throwable ex) {
            end(State.CLOSED);
            throw ex;
        } finally {
            lock.unlock();
        }
    }

    /** Begins a renewal that is due, on the calling thread; false if there is none to be. What is over by now is lost instead. */
    boolean beginRenewal() {
        lock.lock();
        try {
            if (state != State.KEPT) {
                return false;
            }
            if (nanosToLoss() > 0) {
                state = State.RENEWING;
                attempt = renewer.clocks().now();
                runner = Thread.currentThread();
                return true;
            }
        } finally {
            lock.unlock();
        }
        lose(LossListener.Reason.EXPIRED);
        return false;
    }

    /** Ends the renewal that the calling thread has begun. */
    void endRenewal(Outcome outcome) {
        boolean isLost;
        lock.lock();
        try {
            runner = null;
            ended.signalAll();
            // An interrupt of the lease meant the renewal.
            boolean ignored = Thread.interrupted();
            if (state != State.RENEWING) {
                return;
            }
            state = State.KEPT;
            LeaseStart tried = attempt;
            if (outcome == Outcome.RENEWED && tried != null) {
                granted = tried;
                failuresInARow = 0;
            } else {
                failuresInARow++;
            }
            isLost = outcome == Outcome.GONE || nanosToLoss() <= 0;
            if (!isLost) {
                goOn(outcome);
            }
        } finally {
            lock.unlock();
        }
        if (isLost) {
            lose(outcome == Outcome.GONE ? LossListener.Reason.GONE : LossListener.Reason.EXPIRED);
        }
    }

    /** Arms what comes next. Without memory for that, the loss is armed all the same, and is looked at then. */
    private void goOn(Outcome outcome) {
        isToBeArmed = true;
        if (outcome == Outcome.RENEWED) {
            armLoss();
            armNextRenewal();
        } else {
            long pause = pauseNanos();
            if (pause < nanosToLoss()) {
                armRenewal(pause);
            }
        }
        isToBeArmed = false;
    }

    private long pauseNanos() {
        long longest = Math.max(SHORTEST_PAUSE_NANOS, leaseNanos / LONGEST_PAUSE_PART);
        long first = Math.max(SHORTEST_PAUSE_NANOS, leaseNanos / FIRST_PAUSE_PART);
        int doublings = Math.min(failuresInARow - 1, 10);
        return Math.min(longest, first << doublings);
    }

    /** It may be over: it is lost if so, else that is looked at again later. */
    void lookForLoss() {
        lock.lock();
        try {
            if (!isAlive()) {
                return;
            }
            if (nanosToLoss() > 0) {
                armLoss();
                if (isToBeArmed && state == State.KEPT) {
                    armRenewal(0);
                    isToBeArmed = false;
                }
                return;
            }
        } finally {
            lock.unlock();
        }
        lose(LossListener.Reason.EXPIRED);
    }

    /** Tells that the lease is lost, unless it has been told or closed. */
    void lose(LossListener.Reason reason) {
        lock.lock();
        try {
            if (!isAlive()) {
                return;
            }
            end(State.LOST);
            if (renewer.isSingle()) {
                interruptRenewal();
            }
        } finally {
            lock.unlock();
        }
        renewer.lost(this, listener, reason);
    }

    // Under the lock

    private boolean isAlive() {
        State seen = state;
        return seen == State.KEPT || seen == State.RENEWING;
    }

    private void end(State how) {
        state = how;
        cancel(renewal);
        cancel(loss);
        renewal = null;
        loss = null;
    }

    private static void cancel(@Nullable WheelTimer<?> timer) {
        if (timer != null) {
            boolean ignored = timer.cancel(false);
        }
    }

    private long nanosToLoss() {
        return leaseNanos - marginNanos - renewer.clocks().nanosSince(granted);
    }

    private void armLoss() {
        long nanos = nanosToLoss();
        WheelTimer<?> armed = loss;
        if (armed == null || !armed.reschedule(nanos, TimeUnit.NANOSECONDS)) {
            loss = renewer.armLoss(this, nanos);
        }
    }

    private void armNextRenewal() {
        armRenewal(leaseNanos / RENEWALS_A_LEASE - renewer.clocks().nanosSince(granted));
    }

    private void armRenewal(long nanos) {
        renewal = renewer.armRenewal(this, nanos);
    }

    /** Does not show the key, which may be a secret. */
    @Override
    public String toString() {
        return "Lease[" + state + ", remaining = " + remaining() + "]";
    }
}
