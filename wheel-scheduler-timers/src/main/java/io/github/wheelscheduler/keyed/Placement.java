package io.github.wheelscheduler.keyed;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Arms an entry and puts it into the map, in place of another if there is one: all or nothing. The map calls it while
 * it holds the lock of the key's bin, so that an entry which is due at once is not seen before it is there.
 */
class Placement<K, V> implements BiFunction<K, @Nullable KeyedEntry<K, V>, @Nullable KeyedEntry<K, V>> {

    final KeyedTimers<K, V> owner;

    /** Null to keep that of the pending entry. */
    final @Nullable V value;

    private final long delayNanos;
    private final boolean mayReplace;

    /** The entry that has been placed; null if none has. */
    @Nullable
    KeyedEntry<K, V> placed;

    /** The entry whose place it has taken, which has been ended for that; null if there was none. */
    @Nullable
    KeyedEntry<K, V> replaced;

    /**
     * Creates one that has placed nothing.
     *
     * @param mayReplace whether to take the place of a pending entry, if there is one
     */
    Placement(KeyedTimers<K, V> owner, @Nullable V value, long delayNanos, boolean mayReplace) {
        this.owner = owner;
        this.value = value;
        this.delayNanos = delayNanos;
        this.mayReplace = mayReplace;
    }

    /** Whether a new entry has been placed, and not another time for one that was there. */
    boolean isNew() {
        return placed != null && value != null;
    }

    @Override
    public @Nullable KeyedEntry<K, V> apply(K key, @Nullable KeyedEntry<K, V> present) {
        KeyedEntry<K, V> current = present != null && present.isLive() ? present : null;
        if (!mayReplace(current)) {
            return present;
        }
        if (owner.handlers.isClosed()) {
            throw new RejectedExecutionException("Rejected, because the " + owner.name + " have been closed");
        }
        KeyedEntry<K, V> fresh = entry(key);
        if (current == null) {
            takePlace();
        }
        try {
            fresh.arm(delayNanos);
            if (current != null && !takeOver(current, fresh)) {
                return present;
            }
        } catch (Throwable ex) {
            fresh.withdraw();
            if (current == null) {
                owner.limit.giveBack();
            }
            throw ex;
        }
        placed = fresh;
        return fresh;
    }

    /** Whether it takes place, given the pending entry, if there is one. */
    boolean mayReplace(@Nullable KeyedEntry<K, V> current) {
        return current == null || mayReplace;
    }

    /** Returns the entry to be placed. */
    KeyedEntry<K, V> entry(K key) {
        return new KeyedEntry<>(owner, key, Objects.requireNonNull(value), key.hashCode());
    }

    private void takePlace() {
        if (!owner.limit.tryTake()) {
            throw new RejectedExecutionException("Rejected, because max-size is " + owner.limit.max() + ", and "
                    + owner.limit.max() + " keys are pending");
        }
    }

    /**
     * Ends the current entry, whose place in the limit goes to the fresh one. If it has just ended, a value needs a
     * place of its own.
     */
    private boolean takeOver(KeyedEntry<K, V> current, KeyedEntry<K, V> fresh) {
        if (current.end()) {
            replaced = current;
        } else if (value != null) {
            takePlace();
        } else {
            fresh.withdraw();
            return false;
        }
        return true;
    }
}
