package io.github.wheelscheduler.keyed;

/** Places a value with what the observer of calls keeps of the caller. */
final class LinkedPlacement<K, V> extends Placement<K, V> {

    private final Object kept;

    LinkedPlacement(KeyedTimers<K, V> owner, V value, long delayNanos, boolean mayReplace, Object kept) {
        super(owner, value, delayNanos, mayReplace);
        this.kept = kept;
    }

    @Override
    KeyedEntry<K, V> entry(KeyedTimers<K, V> of, K key, V set) {
        return new LinkedEntry<>(of, key, set, key.hashCode(), kept);
    }
}
