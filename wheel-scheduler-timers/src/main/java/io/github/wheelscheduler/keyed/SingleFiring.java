package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.keyed.Turns.Turn;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Calls the handler for each entry by itself. */
final class SingleFiring<K, V> extends Firing<K, V> {

    private final BiConsumer<? super K, ? super V> handler;

    SingleFiring(KeyedTimers<K, V> owner, BiConsumer<? super K, ? super V> handler) {
        super(owner);
        this.handler = handler;
    }

    @Override
    void due(KeyedEntry<K, V> entry) {
        KeyedEntry<K, V> next = entry;
        while (next != null) {
            next = fire(next);
            // Passed on, so that a key that is set again and again does not keep a worker for itself.
            if (next != null && passOn(next)) {
                next = null;
            }
        }
    }

    /** Returns the entry that has waited for this one. */
    private @Nullable KeyedEntry<K, V> fire(KeyedEntry<K, V> entry) {
        if (!enter(entry)) {
            return null;
        }
        try {
            Turn<K, V> turn = takeTurn(entry);
            if (turn == null) {
                return null;
            }
            if (owner().end(entry, owner().tally().fired)) {
                call(entry);
            }
            return endTurn(turn);
        } finally {
            owner().handlers().leave();
        }
    }

    private void call(KeyedEntry<K, V> entry) {
        try {
            handler.accept(entry.key(), entry.value());
        } catch (Throwable ex) {
            owner().handlers().failed(ex);
        }
    }
}
