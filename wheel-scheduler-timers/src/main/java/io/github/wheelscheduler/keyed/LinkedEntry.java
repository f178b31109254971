package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.CallObserver;

/**
 * An entry with what the observer of calls keeps of the caller. A class of its own, so that others have no room for it.
 */
final class LinkedEntry<K, V> extends KeyedEntry<K, V> {

    /** Changed by a move, which may be seen too late: either value is whole. */
    private Object kept;

    LinkedEntry(KeyedTimers<K, V> owner, K key, V value, int hash, Object kept) {
        super(owner, key, value, hash);
        this.kept = kept;
    }

    @Override
    KeyedEntry<K, V> again(int hash) {
        return new LinkedEntry<>(owner, key, value, hash, moved());
    }

    @Override
    boolean reschedule(long delayNanos) {
        boolean isMoved = super.reschedule(delayNanos);
        if (isMoved) {
            kept = moved();
        }
        return isMoved;
    }

    private Object moved() {
        CallObserver observer = owner.observer;
        return observer == null ? kept : observer.moved(kept);
    }

    @Override
    Object kept() {
        return kept;
    }
}
