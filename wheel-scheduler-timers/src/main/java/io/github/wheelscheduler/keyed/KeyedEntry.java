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
     *   PLACING ---placed---> PENDING ---await turn---> WAITING      its time has come, while the handler of an earlier one of the key runs
     *                           |  |                     |  |
     *                           |  +--------- end -------|--+--> GONE       fired, removed, drained, closed, withdrawn, dropped
     *                           +---------- replace -----+-----> REPLACED   by another, which is about to be in the map in its place
     *
     * What can be done to a PENDING one can be done to one that is still PLACING, as others may find it in the map before its caller has
     * noted that it is there. What has been placed, is none of the last two, and is not in the map has a key that has changed.
     * A key is pending if there is an entry for it in the map that is not GONE. Whoever makes the move to GONE does what follows from it.
     * REPLACED is seen in the map only while somebody holds the lock of the key's bin.
     *
     * The state is in the lowest bits of a number. The others have as many as there is room for of the hash that the key had when it was
     * set: by that the map lets go of the entry, although its key has changed.
     */
    private static final int PLACING = 0;
    private static final int PENDING = 1;
    private static final int WAITING = 2;
    private static final int REPLACED = 3;
    private static final int GONE = 4;

    private static final int STATE_BITS = 3;

    /** The bits that there is no room for can be so many. */
    static final int HASHES = 1 << STATE_BITS;

    private static final int STATE_MASK = (1 << STATE_BITS) - 1;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(KeyedEntry.class, "word", int.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final KeyedTimers<K, V> owner;
    private final K key;
    private final V value;

    /** Written before the entry is in the map, read by who has found it there. */
    private @Nullable WheelTimer<?> timer;

    private volatile int word;

    /** Creates an entry for a key that has this hash in the map. */
    KeyedEntry(KeyedTimers<K, V> owner, K key, V value, int hash) {
        this.owner = owner;
        this.key = key;
        this.value = value;
        this.word = hash << STATE_BITS | PLACING;
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
        int seen = word;
        while (isLive(seen & STATE_MASK)) {
            if (WORD.compareAndSet(this, seen, (seen & ~STATE_MASK) | to)) {
                return true;
            }
            seen = word;
        }
        return false;
    }

    private boolean move(int from, int to) {
        int hash = word & ~STATE_MASK;
        return WORD.compareAndSet(this, hash | from, hash | to);
    }

    private int state() {
        return word & STATE_MASK;
    }

    /** Whether the key has another hash than when it was set. */
    boolean isKeyChanged() {
        return key.hashCode() << STATE_BITS != (word & ~STATE_MASK);
    }

    /** Returns one of the {@link #HASHES} hashes that the key may have had when it was set. */
    int hashOfKey(int index) {
        return word >>> STATE_BITS | index << (Integer.SIZE - STATE_BITS);
    }

    /** Notes that it is in the map. */
    void placed() {
        boolean ignored = move(PLACING, PENDING);
    }

    boolean isPlaced() {
        return state() != PLACING;
    }

    /** Notes that its time has come and that it waits for its turn. */
    void awaitTurn() {
        boolean ignored = move(PENDING, WAITING)
                || move(PLACING, WAITING)
                // Its caller has noted meanwhile that it is placed.
                || move(PENDING, WAITING);
    }

    boolean isLive() {
        return isLive(state());
    }

    private static boolean isLive(int seen) {
        return seen <= WAITING;
    }

    boolean isWaiting() {
        return state() == WAITING;
    }

    boolean isReplaced() {
        return state() == REPLACED;
    }

    // Its timer

    /** Arms it, once, before it is in the map. If that fails, it is gone. */
    void arm(long delayNanos) {
        try {
            timer = owner.timers().schedule(this, delayNanos);
        } catch (Throwable ex) {
            boolean ignored = end();
            throw ex;
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
