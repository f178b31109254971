package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.CallObserver;
import org.jspecify.annotations.Nullable;

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
    KeyedEntry<K, V> again(int hash, @Nullable Object keptFromNowOn) {
        return new LinkedEntry<>(owner, key, value, hash, keptFromNowOn == null ? kept : keptFromNowOn);
    }

    @Override
    boolean reschedule(long delayNanos, @Nullable Object keptFromNowOn) {
        boolean isMoved = super.reschedule(delayNanos, keptFromNowOn);
        if (isMoved && keptFromNowOn != null) {
            kept = keptFromNowOn;
        }
        return isMoved;
    }

    @Override
    Object keptIfMoved() {
        CallObserver observer = owner.observer;
        return observer == null ? kept : observer.moved(kept);
    }

    @Override
    Object kept() {
        return kept;
    }
}
