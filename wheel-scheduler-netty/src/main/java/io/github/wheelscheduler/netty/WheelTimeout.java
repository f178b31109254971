package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StackReserve;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A timeout, and the task of its timer on the wheel, in one object, as there may be millions. */
final class WheelTimeout implements Timeout, Runnable, ManagedTask {

    /*
     * Its state decides between all threads that want to end it; it moves once, from PENDING:
     *
     *   EXPIRED     its task is about to begin
     *   CANCELLED   by its user, or by a stop of the timer
     *   REJECTED    it could not be armed, and only the timer has ever seen it
     */
    private static final int PENDING = 0;
    private static final int EXPIRED = 1;
    private static final int CANCELLED = 2;
    private static final int REJECTED = 3;

    private static final AtomicIntegerFieldUpdater<WheelTimeout> STATE =
            AtomicIntegerFieldUpdater.newUpdater(WheelTimeout.class, "state");

    private final WheelNettyTimer owner;
    private final TimerTask task;

    /** In which of the lists of pending timeouts it is. Written once, before it is there. */
    int list;

    /** Its neighbours in that list, guarded by the list's lock. */
    @Nullable
    WheelTimeout previous;

    @Nullable
    WheelTimeout next;

    /** It is in that list, guarded by the list's lock. */
    boolean isListed;

    /**
     * Null until it is armed; a cancellation before that is noticed then. Writer: the thread that makes the timeout.
     * Readers: any.
     */
    private volatile @Nullable WheelTimer<?> timer;

    private volatile int state;

    WheelTimeout(WheelNettyTimer owner, TimerTask task) {
        this.owner = owner;
        this.task = task;
    }

    // The moves

    private boolean move(int to) {
        return STATE.compareAndSet(this, PENDING, to);
    }

    /** Returns whether the caller is the one to run the task. */
    boolean expire() {
        return move(EXPIRED);
    }

    /** Says that it could not be armed; false if a stop has it already. */
    boolean reject() {
        return move(REJECTED);
    }

    /** Cancels it for a stop, which then returns it: its task is not notified. */
    boolean cancelByStop() {
        return move(CANCELLED);
    }

    /** Lets it know its timer, once. */
    void armed(WheelTimer<?> armed) {
        timer = armed;
        if (!isPending()) {
            cancelTimer();
        }
    }

    /** Takes it off the wheel, which releases it at once. */
    private void cancelTimer() {
        WheelTimer<?> armed = timer;
        if (armed != null) {
            boolean ignored = armed.cancel(false);
        }
    }

    /** Returns how long ago its time came. */
    long lateNanos() {
        WheelTimer<?> armed = timer;
        return armed == null ? 0 : Math.max(0, -armed.getDelay(TimeUnit.NANOSECONDS));
    }

    boolean isPending() {
        return state == PENDING;
    }

    /** Its time has come. Worker of the group. */
    @Override
    public void run() {
        while (true) {
            try {
                owner.due(this);
                return;
            } catch (OutOfMemoryError ex) {
                // It insists, as no other thread knows of the timeout. No step is done twice.
                ShortMemory.pause();
            }
        }
    }

    /** Its turn has come. The thread that tasks run on. */
    void runInTurn() {
        while (true) {
            try {
                owner.runInTurn(this);
                return;
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    // For its user

    @Override
    public boolean cancel() {
        StackReserve.askForMore();
        if (!move(CANCELLED)) {
            return false;
        }
        try {
            cancelTimer();
        } finally {
            owner.cancelled(this);
        }
        return true;
    }

    @Override
    public boolean isCancelled() {
        return state == CANCELLED;
    }

    @Override
    public boolean isExpired() {
        return state == EXPIRED;
    }

    @Override
    public Timer timer() {
        return owner;
    }

    @Override
    public TimerTask task() {
        return task;
    }

    // For the executor

    /** The rejection handler is not used: the caller that adds the timeout gets the exception. */
    @Override
    public boolean isSteered() {
        return true;
    }

    @Override
    public String taskName() {
        return owner.name();
    }

    /** Without the task, whose text may hold a secret. */
    @Override
    public String toString() {
        return "Timeout[" + owner.name() + ", " + situation() + "]";
    }

    private String situation() {
        if (state == PENDING) {
            WheelTimer<?> armed = timer;
            return armed == null
                    ? "pending"
                    : "pending, due in " + about(Duration.ofNanos(Math.max(0, armed.getDelay(TimeUnit.NANOSECONDS))));
        }
        return isExpired() ? "expired" : isCancelled() ? "cancelled" : "rejected";
    }
}
