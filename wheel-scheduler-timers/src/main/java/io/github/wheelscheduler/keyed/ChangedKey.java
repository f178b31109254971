package io.github.wheelscheduler.keyed;

import org.jspecify.annotations.Nullable;

/**
 * Finds a key that has changed since it was put into a map, where only its original hash leads to it. It equals one of
 * the keys with that hash, after skipping a number of others.
 */
final class ChangedKey {

    private final int hash;
    private int others;

    ChangedKey(int hash, int others) {
        this.hash = hash;
        this.others = others;
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public boolean equals(@Nullable Object key) {
        others--;
        return others < 0;
    }
}
