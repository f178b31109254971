package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.keyed.Turns.Turn;
import org.jspecify.annotations.Nullable;

/**
 * Brings entries whose time has come to the handler, those of one key one after the other. Workers.
 *
 * <p>A worker takes the turn of a key before it calls the handler. If another has it, the entry waits: that is noted with the turn, and then
 * the worker looks whether the turn has ended. Who ends it reads afterwards who waits. So one of the two sees the other, no worker waits, and nothing is lost: the entry is
 * pending until it has its turn, and can be removed, moved and replaced until then.
 */
abstract class Firing<K, V> {

    private final KeyedTimers<K, V> owner;
    private final Turns<K, V> turns = new Turns<>();

    Firing(KeyedTimers<K, V> owner) {
        this.owner = owner;
    }

    final KeyedTimers<K, V> owner() {
        return owner;
    }

    /** The time of an entry has come, or its turn. */
    abstract void due(KeyedEntry<K, V> entry);

    /**
     * Takes the turn of the entry's key, to be ended with {@link #endTurn}; null if the entry is gone, or waits from now on. Without memory
     * for it, it is tried again as long as the entry is pending.
     */
    final @Nullable Turn<K, V> takeTurn(KeyedEntry<K, V> entry) {
        owner.awaitPlaced(entry);
        while (entry.isLive() && !owner.handlers().isClosed()) {
            try {
                Turn<K, V> turn = new Turn<>(entry);
                Turn<K, V> inTheWay = turns.begin(turn);
                if (inTheWay == null) {
                    return turn;
                }
                if (inTheWay.isAwaitedBy(entry)) {
                    return null;
                }
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
        return null;
    }

    /** Ends the turn, and returns the entry that waits for it, if one does. */
    final @Nullable KeyedEntry<K, V> endTurn(Turn<K, V> turn) {
        return turns.end(turn);
    }

    /** Enters the handlers; without memory for it, it is tried again as long as the entry is pending. */
    final boolean enter(KeyedEntry<K, V> entry) {
        owner.awaitPlaced(entry);
        while (entry.isLive()) {
            try {
                return owner.handlers().enter();
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
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
