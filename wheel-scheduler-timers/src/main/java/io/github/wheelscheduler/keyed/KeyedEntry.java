package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.timers.KeptTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A key, its value, and the task of their timer, in one object, as there may be millions. */
class KeyedEntry<K, V> implements KeptTask {

    /*
     * Its state decides between all threads that want to end it:
     *
     *   PENDING ---await turn---> WAITING      its time has come, while the handler of an earlier one of the key runs
     *      |                         |
     *      +--------- end -----------+--> GONE       fired, removed, replaced, drained, closed, withdrawn, dropped
     *
     * A key is pending if there is an entry for it in the map that is not GONE. The thread that makes the move to GONE
     * does what follows from it. The one that replaces an entry holds the lock of the key's bin until the other one is
     * in its place: a thread that finds an entry GONE in the map looks again under that lock.
     *
     * The state is in the lowest bits of a number. The others have as many as there is room for of the hash that the
     * key had when it was set: by that the map lets go of the entry, although its key has changed.
     */
    private static final int PENDING = 0;
    private static final int WAITING = 1;
    private static final int GONE = 2;

    private static final int STATE_BITS = 2;

    /** The maximum number of bits that do not fit. */
    static final int HASHES = 1 << STATE_BITS;

    private static final int STATE_MASK = (1 << STATE_BITS) - 1;

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<KeyedEntry> WORD =
            AtomicIntegerFieldUpdater.newUpdater(KeyedEntry.class, "word");

    final K key;
    final V value;
    final KeyedTimers<K, V> owner;

    /** Written before the entry is in the map, read by threads that have found it there. */
    private @Nullable WheelTimer<?> timer;

    private volatile int word;

    /** Creates an entry for a key that has this hash in the map. */
    KeyedEntry(KeyedTimers<K, V> owner, K key, V value, int hash) {
        this.owner = owner;
        this.key = key;
        this.value = value;
        this.word = hash << STATE_BITS | PENDING;
    }

    /**
     * Returns one in its place, with the same key and value, for a key that has this hash in the map.
     *
     * @param keptFromNowOn the result of {@link #keptIfMoved}
     */
    KeyedEntry<K, V> again(int hash, @Nullable Object keptFromNowOn) {
        return new KeyedEntry<>(owner, key, value, hash);
    }

    /**
     * Asks the observer of calls what is kept of the caller once the entry has another time; null for nothing. Under no
     * lock, and before the move: it may fail.
     */
    @Nullable
    Object keptIfMoved() {
        return null;
    }

    /** Returns what the observer of calls has kept of the caller that has set the key; null for nothing. */
    @Nullable
    Object kept() {
        return null;
    }

    // The moves

    /** Ends a pending entry; true for one caller. */
    boolean end() {
        int seen = word;
        while (isLive(seen) && !WORD.compareAndSet(this, seen, (seen & ~STATE_MASK) | GONE)) {
            seen = word;
        }
        return isLive(seen);
    }

    /** Notes that its time has come and that it waits for its turn. */
    void awaitTurn() {
        int hash = word & ~STATE_MASK;
        boolean ignored = WORD.compareAndSet(this, hash | PENDING, hash | WAITING);
    }

    boolean isLive() {
        return isLive(word);
    }

    private static boolean isLive(int seen) {
        return (seen & STATE_MASK) != GONE;
    }

    boolean isWaiting() {
        return (word & STATE_MASK) == WAITING;
    }

    /** Returns whether the key has another hash than when it was set. */
    boolean isKeyChanged() {
        return key.hashCode() << STATE_BITS != (word & ~STATE_MASK);
    }

    /** Returns one of the {@link #HASHES} hashes that the key may have had when it was set. */
    int hashOfKey(int index) {
        return word >>> STATE_BITS | index << (Integer.SIZE - STATE_BITS);
    }

    // Its timer

    /** Arms it, once, before it is in the map. */
    void arm(long delayNanos) {
        timer = owner.timers.schedule(this, delayNanos);
    }

    /** Ends it and takes its timer off the wheel; false if it has ended before. */
    boolean withdraw() {
        boolean isMine = end();
        if (isMine) {
            cancelTimer();
        }
        return isMine;
    }

    /**
     * Gives it another time; false if that has come already, or the timer is out of use.
     *
     * @param keptFromNowOn the result of {@link #keptIfMoved}
     */
    boolean reschedule(long delayNanos, @Nullable Object keptFromNowOn) {
        WheelTimer<?> armed = timer;
        return armed != null && armed.reschedule(delayNanos, TimeUnit.NANOSECONDS);
    }

    /** Returns how long it is until its time comes, 0 if that has come. */
    long remainingNanos() {
        WheelTimer<?> armed = timer;
        return armed == null ? 0 : Math.max(0, armed.getDelay(TimeUnit.NANOSECONDS));
    }

    /** Returns how long ago its time came; negative if that is to come. */
    long lateNanos() {
        WheelTimer<?> armed = timer;
        return armed == null ? 0 : -armed.getDelay(TimeUnit.NANOSECONDS);
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
        owner.firing.due(this);
    }

    @Override
    public String taskName() {
        return owner.name;
    }

    /** Without key and value, which may be secrets. */
    @Override
    public String toString() {
        return "KeyedEntry of " + owner.name;
    }
}
