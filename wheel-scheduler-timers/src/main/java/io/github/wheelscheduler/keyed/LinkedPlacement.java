package io.github.wheelscheduler.keyed;

import java.util.Objects;

/** Places a value with what the observer of calls keeps of the caller. */
final class LinkedPlacement<K, V> extends Placement<K, V> {

    private final Object kept;

    LinkedPlacement(KeyedTimers<K, V> owner, V value, long delayNanos, boolean mayReplace, Object kept) {
        super(owner, value, delayNanos, mayReplace);
        this.kept = kept;
    }

    @Override
    KeyedEntry<K, V> entry(K key) {
        return new LinkedEntry<>(owner, key, Objects.requireNonNull(value), key.hashCode(), kept);
    }
}
