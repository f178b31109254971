package io.github.wheelscheduler.lease;

import org.jspecify.annotations.Nullable;

/**
 * A key in the map of leases, with the hash that it had when it was put there. Its lease removes it without a call of
 * the key, which may have changed, or fail.
 */
final class KeptKey<K> {

    final K key;
    private final int hash;

    /** Set before the lease removes it: then it equals no other. That thread alone compares it from then on. */
    boolean isLeaving;

    KeptKey(K key) {
        this.key = key;
        this.hash = key.hashCode();
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (!isLeaving && other instanceof KeptKey<?> kept && kept.hash == hash && kept.key.equals(key));
    }
}
