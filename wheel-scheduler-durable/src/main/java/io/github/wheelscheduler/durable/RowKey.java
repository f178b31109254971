package io.github.wheelscheduler.durable;

import java.util.Comparator;

/** A row as a node has claimed it: when somebody else touches it, it gets another version. In the order in which several are locked. */
record RowKey(String handler, String id, long version) implements Comparable<RowKey> {

    private static final Comparator<RowKey> ORDER =
            Comparator.comparing(RowKey::handler).thenComparing(RowKey::id).thenComparingLong(RowKey::version);

    @Override
    public int compareTo(RowKey other) {
        return ORDER.compare(this, other);
    }
}
