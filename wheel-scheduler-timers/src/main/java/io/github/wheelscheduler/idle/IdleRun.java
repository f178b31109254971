package io.github.wheelscheduler.idle;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.timers.KeptTask;
import io.github.wheelscheduler.timers.ObservedCall;
import io.github.wheelscheduler.timers.TimerSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A timeout, the task of its timer, and the source of its next deadline, in one object. */
class IdleRun<K> implements IdleTimeout, KeptTask, Pacing {

    /*
     * The word holds when the key was last touched, rounded up to 4 ns, and in its two lowest bits the state:
     *
     *      touch (later)        touch (later)
     *         +---+                +---+
     *         |   v     pause      |   v
     *        ACTIVE ------------> PAUSED         to EXPIRED: the run of the timer that finds a full idle
     *         | |  <------------    |                        period after the last touch
     *         | |       resume      |            to CLOSED: close
     *         | +-------> CLOSED <--+
     *         +---------> EXPIRED
     *
     * So one compare-and-set decides between a touch and the expiry: if the touch is first, the expiry finds another
     * word than it has looked at, and looks again; if the expiry is first, the touch finds that it is over. The time of
     * the last touch never goes back, so that threads that touch at once do not undo each other. All moves but touch
     * read the clock after the word that they change: what they find there was before.
     */
    private static final int ACTIVE = 0;
    private static final int PAUSED = 1;
    private static final int EXPIRED = 2;
    private static final int CLOSED = 3;
    private static final long STATE_MASK = 3;

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<IdleRun> WORD =
            AtomicLongFieldUpdater.newUpdater(IdleRun.class, "word");

    private final IdleTimeouts<K> owner;
    private final TimerSource timers;
    private final K key;
    private final long idleNanos;

    private volatile long word;

    /**
     * Null until it has been armed; a timeout that ends before that leaves it to the thread that arms it to cancel it.
     */
    private volatile @Nullable WheelTimer<?> timer;

    IdleRun(IdleTimeouts<K> owner, TimerSource timers, K key, long idleNanos) {
        this.owner = owner;
        this.timers = timers;
        this.key = key;
        this.idleNanos = idleNanos;
        WORD.lazySet(this, wordOf(timers.nanoTime(), ACTIVE));
    }

    private static long wordOf(long nanos, int state) {
        return ((nanos + STATE_MASK) & ~STATE_MASK) | state;
    }

    private static long nanosOf(long word) {
        return word & ~STATE_MASK;
    }

    private static int stateOf(long word) {
        return (int) (word & STATE_MASK);
    }

    private static boolean isOpen(long word) {
        return stateOf(word) < EXPIRED;
    }

    // The moves

    @Override
    public boolean touch() {
        long nowNanos = timers.nanoTime();
        long seen = word;
        while (isOpen(seen) && !isTouchedSince(seen, nowNanos) && !moveTo(seen, wordOf(nowNanos, stateOf(seen)))) {
            seen = word;
        }
        return isOpen(seen);
    }

    private static boolean isTouchedSince(long seen, long nanos) {
        return nanosOf(seen) - nanos >= 0;
    }

    @Override
    public boolean pause() {
        long seen = word;
        while (stateOf(seen) == ACTIVE && !moveTo(seen, seen | PAUSED)) {
            seen = word;
        }
        return stateOf(seen) == ACTIVE;
    }

    @Override
    public boolean resume() {
        long seen = word;
        while (stateOf(seen) == PAUSED) {
            long nowNanos = timers.nanoTime();
            long fromNanos = isTouchedSince(seen, nowNanos) ? nanosOf(seen) : nowNanos;
            if (moveTo(seen, wordOf(fromNanos, ACTIVE))) {
                return true;
            }
            seen = word;
        }
        return false;
    }

    @Override
    public boolean close() {
        StackReserve.askForMore();
        boolean isMine = withdraw();
        if (isMine) {
            owner.ended(this, false);
        }
        return isMine;
    }

    /** Moves to CLOSED, and leaves the consequences to the caller; false if it was over. */
    boolean withdraw() {
        long seen = word;
        while (isOpen(seen) && !moveTo(seen, nanosOf(seen) | CLOSED)) {
            seen = word;
        }
        return isOpen(seen);
    }

    /** Expires if a full idle period has passed since the last touch. */
    private boolean expire() {
        long seen = word;
        while (isDue(seen)) {
            if (moveTo(seen, nanosOf(seen) | EXPIRED)) {
                if (owner.watched.isLatenessMeasured()) {
                    owner.watched.late(-restNanos(seen));
                }
                owner.ended(this, true);
                return true;
            }
            seen = word;
        }
        return false;
    }

    private boolean isDue(long seen) {
        return stateOf(seen) == ACTIVE && restNanos(seen) <= 0;
    }

    private long restNanos(long seen) {
        return nanosOf(seen) + idleNanos - timers.nanoTime();
    }

    private boolean moveTo(long seen, long next) {
        return WORD.compareAndSet(this, seen, next);
    }

    @Override
    public boolean isOpen() {
        return isOpen(word);
    }

    // Its timer

    /** Arms it, once. */
    void arm() {
        timer = timers.repeat(this, idleNanos);
        if (!isOpen()) {
            cancelTimer();
        }
    }

    /** Takes the timer off the wheel, if it is known; no run follows the one that is active. */
    void cancelTimer() {
        WheelTimer<?> armed = timer;
        if (armed != null) {
            boolean ignored = armed.cancel(false);
        }
    }

    /**
     * Looks whether the timeout expires. If not, the timer comes up again after {@link #restNanos}. Never fails.
     * Worker.
     */
    @Override
    public void run() {
        try {
            long seen = word;
            if (!isDue(seen)) {
                if (isOpen(seen)) {
                    owner.watched.moved();
                }
            } else if (owner.handlers.enter()) {
                try {
                    if (expire()) {
                        call();
                    }
                } finally {
                    owner.handlers.leave();
                }
            } else {
                // Its owner is being closed, or has failed to close this one.
                boolean ignored = close();
            }
        } catch (OutOfMemoryError ex) {
            // The timer comes up again if it has not been closed.
            ShortMemory.pause();
        }
    }

    private void call() {
        CallObserver observer = owner.observer;
        if (observer == null) {
            owner.handlers.call(owner.handler, key);
        } else {
            ObservedCall.call(owner.handlers, observer, kept(), owner.handler, key);
        }
    }

    /** Returns what the observer of calls has kept of the caller that has registered the key, if anything. */
    List<?> kept() {
        return List.of();
    }

    // For the executor

    @Override
    public Pacing pacing() {
        return this;
    }

    /**
     * Returns how long it is until it has to look again: for the rest of the idle period, or for a whole one during a
     * pause.
     */
    @Override
    public long restNanos() {
        long seen = word;
        return stateOf(seen) == ACTIVE ? restNanos(seen) : idleNanos;
    }

    @Override
    public long skipped(long missed, int maxCatchUp) {
        return missed;
    }

    @Override
    public long drawPutOffNanos() {
        return 0;
    }

    @Override
    public long putOffNanos() {
        return 0;
    }

    @Override
    public String taskName() {
        return owner.name;
    }

    /** Without the key, which may be a secret. */
    @Override
    public String toString() {
        String state = switch (stateOf(word)) {
            case ACTIVE -> "active";
            case PAUSED -> "paused";
            case EXPIRED -> "expired";
            default -> "closed";
        };
        return "IdleTimeout[" + owner.name + ", after " + exactly(Duration.ofNanos(idleNanos)) + ", " + state + "]";
    }
}
