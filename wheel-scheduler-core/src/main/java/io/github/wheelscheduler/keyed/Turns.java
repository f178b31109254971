package io.github.wheelscheduler.keyed;

import java.util.concurrent.ConcurrentHashMap;

/** The keys whose handlers are running, so that no two handlers of one key do. Workers. */
final class Turns<K> {

    /** Each with the thread that has the turn. */
    private final ConcurrentHashMap<K, Thread> taken = new ConcurrentHashMap<>();

    /**
     * Takes the turn of a key for the calling thread, until {@link #end}.
     *
     * @return false if it is taken already
     * @throws OutOfMemoryError if there is no memory for it; it is not taken by this
     */
    boolean begin(K key) {
        boolean failed = true;
        try {
            boolean isMine = taken.putIfAbsent(key, Thread.currentThread()) == null;
            failed = false;
            return isMine;
        } finally {
            if (failed) {
                // If nothing was in the way, it may have been put in before memory ran out.
                end(key);
            }
        }
    }

    /** Lets go of the turn of a key, if the calling thread has it. */
    void end(K key) {
        try {
            boolean ignored = taken.remove(key, Thread.currentThread());
        } catch (OutOfMemoryError ex) {
            // The key is out by then; the map has failed to count that, and nobody asks it for its size.
        }
    }

    boolean isTaken(K key) {
        return taken.containsKey(key);
    }
}
