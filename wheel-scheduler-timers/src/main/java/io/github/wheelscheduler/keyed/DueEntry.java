package io.github.wheelscheduler.keyed;

/**
 * A key whose time has come, and its value, in a batch.
 *
 * @param key as it was set last
 * @param value as it was set last
 */
public record DueEntry<K, V>(K key, V value) {

    /** Without key and value, which may be secrets. */
    @Override
    public String toString() {
        return "DueEntry";
    }
}
