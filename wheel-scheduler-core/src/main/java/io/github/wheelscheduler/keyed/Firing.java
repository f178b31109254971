package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.handler.Handlers;
import org.jspecify.annotations.Nullable;

/**
 * Brings entries whose time has come to the handler, those of one key one after the other. Workers.
 *
 * <p>Whoever is to call the handler for a key takes the key's turn first. Who finds it taken marks the entry as waiting and looks again;
 * who ends a turn looks for a waiting entry afterwards. So one of the two sees the other, no worker waits, and nothing is lost: the entry is
 * pending until it has its turn, and can be removed, moved and replaced until then.
 */
abstract class Firing<K, V> {

    private final KeyedTimers<K, V> owner;
    private final Turns<K> turns = new Turns<>();

    Firing(KeyedTimers<K, V> owner) {
        this.owner = owner;
    }

    final KeyedTimers<K, V> owner() {
        return owner;
    }

    /** The time of an entry has come, or its turn. */
    abstract void due(KeyedEntry<K, V> entry);

    /**
     * Takes the turn of the entry's key, to be ended with {@link #endTurn}; false if the entry is gone, or waits from now on. Without memory
     * for it, it is tried again as long as the entry is pending.
     */
    final boolean takeTurn(KeyedEntry<K, V> entry) {
        owner.awaitPlaced(entry);
        while (entry.isLive() && !owner.handlers().isClosed()) {
            try {
                if (turns.begin(entry.key())) {
                    return true;
                }
                entry.awaitTurn();
                if (turns.isTaken(entry.key())) {
                    return false;
                }
            } catch (OutOfMemoryError ex) {
                Handlers.pauseWithoutMemory();
            }
        }
        return false;
    }

    /** Ends the turn of the key, and returns the entry that waits for it, if one does. */
    final @Nullable KeyedEntry<K, V> endTurn(K key) {
        turns.end(key);
        KeyedEntry<K, V> next = owner.placed(key);
        return next != null && next.isWaiting() ? next : null;
    }

    /** Enters the handlers; without memory for it, it is tried again as long as the entry is pending. */
    final boolean enter(KeyedEntry<K, V> entry) {
        owner.awaitPlaced(entry);
        while (entry.isLive()) {
            try {
                return owner.handlers().enter();
            } catch (OutOfMemoryError ex) {
                Handlers.pauseWithoutMemory();
            }
        }
        return false;
    }

    /** Has something run by another worker, or by the next free one; false if that is not possible. */
    final boolean passOn(Runnable task) {
        try {
            owner.timers().execute(task);
            return true;
        } catch (Throwable ex) {
            // Out of memory, at its limit, or shut down.
            return false;
        }
    }
}
