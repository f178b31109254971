package io.github.wheelscheduler.keyed;

import org.jspecify.annotations.Nullable;

/** Gives an entry whose timer is used up another one, as long as it is the pending one of its key. */
final class MovedPlacement<K, V> extends Placement<K, V> {

    private final KeyedEntry<K, V> moved;
    private final @Nullable Object kept;

    /**
     * Creates one that has placed nothing.
     *
     * @param kept the result of {@link KeyedEntry#keptIfMoved} of the entry
     */
    MovedPlacement(KeyedTimers<K, V> owner, KeyedEntry<K, V> moved, long delayNanos, @Nullable Object kept) {
        super(owner, null, delayNanos, true);
        this.moved = moved;
        this.kept = kept;
    }

    @Override
    boolean mayReplace(@Nullable KeyedEntry<K, V> current) {
        return current == moved;
    }

    @Override
    KeyedEntry<K, V> entry(K key) {
        return moved.again(key.hashCode(), kept);
    }
}
