package io.github.wheelscheduler.keyed;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The keys whose handlers are running, so that no two handlers of one key do. Workers. */
final class Turns<K, V> {

    private final ConcurrentHashMap<Turn<K, V>, Turn<K, V>> taken = new ConcurrentHashMap<>();

    /**
     * Takes a turn, until {@link #end}.
     *
     * @return the turn that is in the way; null if there is none, and this is taken
     * @throws OutOfMemoryError if there is no memory for it; it is not taken
     */
    @Nullable
    Turn<K, V> begin(Turn<K, V> turn) {
        try {
            return taken.putIfAbsent(turn, turn);
        } catch (Throwable ex) {
            // If nothing was in the way, it may have been put in before memory ran out.
            remove(turn);
            throw ex;
        }
    }

    /** Ends a turn, and returns the entry that waits for it, if one does. */
    @Nullable
    KeyedEntry<K, V> end(Turn<K, V> turn) {
        remove(turn);
        turn.ended = true;
        KeyedEntry<K, V> next = turn.get();
        return next != null && next.isWaiting() ? next : null;
    }

    private void remove(Turn<K, V> turn) {
        turn.isLeaving = true;
        try {
            // By identity: an equal key's turn may be there.
            Turn<K, V> ignored = taken.computeIfPresent(turn, turn);
        } catch (OutOfMemoryError ex) {
            // It is already removed; the map has failed to count that, and its size is never read.
        }
    }

    /**
     * The turn of an entry's key, and the entry that waits for its end. It is found by the hash that the key had when
     * it began, and by itself, although the handler may change the key.
     */
    @SuppressWarnings("serial")
    static final class Turn<K, V> extends AtomicReference<@Nullable KeyedEntry<K, V>>
            implements BiFunction<Turn<K, V>, Turn<K, V>, @Nullable Turn<K, V>> {

        final transient KeyedEntry<K, V> entry;
        private final int hash;

        /**
         * Written by the thread that has the turn, before it reads which entry waits; read by the others after they
         * have noted theirs.
         */
        private transient volatile boolean ended;

        /** Set before it is removed: then it equals no other, though its key may have changed. Read by that thread. */
        private transient boolean isLeaving;

        Turn(KeyedEntry<K, V> entry) {
            this.entry = entry;
            this.hash = entry.key.hashCode();
        }

        /**
         * Has an entry wait for the end; false if that has come. An entry that was replaced by this one, or is over,
         * does so no more.
         */
        boolean isAwaitedBy(KeyedEntry<K, V> next) {
            KeyedEntry<K, V> seen = get();
            while (next.isLive() && seen != next && !compareAndSet(seen, next)) {
                seen = get();
            }
            next.awaitTurn();
            return !ended;
        }

        /** Takes itself out of the map, and nothing else. */
        @Override
        public @Nullable Turn<K, V> apply(Turn<K, V> key, Turn<K, V> found) {
            return found == this ? null : found;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other
                    || (!isLeaving
                            && other instanceof Turn<?, ?> turn
                            && turn.hash == hash
                            && turn.entry.key.equals(entry.key));
        }
    }
}
