package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelTimer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A key, its value, and the task of their timer, in one object, as there may be millions. */
final class KeyedEntry<K, V> implements Runnable, ManagedTask {

    /*
     * Its state decides between all who want to end it:
     *
     *   PENDING ---await turn---> WAITING      its time has come, while the handler of an earlier one of the key runs
     *     |  |                     |  |
     *     |  +--------- end -------|--+--> GONE       fired, removed, drained, closed, withdrawn
     *     +---------- replace -----+-----> REPLACED   by another, which is about to be in the map in its place
     *
     * A key is pending if there is an entry for it in the map that is not GONE. Whoever makes the move to GONE does what follows from it.
     * REPLACED is seen in the map only while somebody holds the lock of the key's bin.
     */
    private static final int PENDING = 0;
    private static final int WAITING = 1;
    private static final int REPLACED = 2;
    private static final int GONE = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(KeyedEntry.class, "state", int.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final KeyedTimers<K, V> owner;
    private final K key;
    private final V value;

    /** Written before the entry is in the map, read by who has found it there. */
    private @Nullable WheelTimer<?> timer;

    private volatile int state;

    KeyedEntry(KeyedTimers<K, V> owner, K key, V value) {
        this.owner = owner;
        this.key = key;
        this.value = value;
    }

    K key() {
        return key;
    }

    V value() {
        return value;
    }

    // The moves

    /** Ends a pending entry; true for one caller. */
    boolean end() {
        return moveFromLive(GONE);
    }

    /** Ends a pending entry in favour of another; true if nobody was faster. */
    boolean replace() {
        return moveFromLive(REPLACED);
    }

    private boolean moveFromLive(int to) {
        int seen = state;
        while (seen == PENDING || seen == WAITING) {
            if (STATE.compareAndSet(this, seen, to)) {
                return true;
            }
            seen = state;
        }
        return false;
    }

    /** Notes that its time has come and that it waits for its turn. */
    void awaitTurn() {
        boolean ignored = STATE.compareAndSet(this, PENDING, WAITING);
    }

    boolean isLive() {
        int seen = state;
        return seen == PENDING || seen == WAITING;
    }

    boolean isWaiting() {
        return state == WAITING;
    }

    boolean isReplaced() {
        return state == REPLACED;
    }

    // Its timer

    /** Arms it, once, before it is in the map. If that fails, it is gone. */
    void arm(long delayNanos) {
        boolean armed = false;
        try {
            timer = owner.timers().schedule(this, delayNanos);
            armed = true;
        } finally {
            if (!armed) {
                boolean ignored = end();
            }
        }
    }

    /** Gives it another time; false if that has come already, or the timer is out of use. */
    boolean reschedule(long delayNanos) {
        WheelTimer<?> armed = timer;
        return armed != null && armed.reschedule(delayNanos, TimeUnit.NANOSECONDS);
    }

    /** Returns how long it is until its time comes, 0 if that has come. */
    long remainingNanos() {
        WheelTimer<?> armed = timer;
        return armed == null ? 0 : Math.max(0, armed.getDelay(TimeUnit.NANOSECONDS));
    }

    /** Takes the timer off the wheel. */
    void cancelTimer() {
        WheelTimer<?> armed = timer;
        if (armed != null) {
            boolean ignored = armed.cancel(false);
        }
    }

    /** Its time has come. Worker. */
    @Override
    public void run() {
        owner.firing().due(this);
    }

    /** The rejection handler has no say: whoever sets the key is told. */
    @Override
    public boolean isSteered() {
        return true;
    }

    /** Nothing that is kept by a key is lost because others fill a group. */
    @Override
    public boolean waitsWhenFull() {
        return true;
    }

    @Override
    public String taskName() {
        return owner.name();
    }

    /** Without key and value, which may be secrets. */
    @Override
    public String toString() {
        return "KeyedEntry of " + owner.name();
    }
}
