package io.github.wheelscheduler.durable;

import java.util.Comparator;

/**
 * A row as a node has claimed it: whoever changes hands with it gives it another version. Ordered as several are locked.
 *
 * @param handler the name of its handler, or {@link Handler#RECURRING} for all recurring tasks
 * @param id which task it is of that handler
 * @param version of the row
 */
record RowKey(String handler, String id, long version) implements Comparable<RowKey> {

    private static final Comparator<RowKey> ORDER =
            Comparator.comparing(RowKey::handler).thenComparing(RowKey::id).thenComparingLong(RowKey::version);

    @Override
    public int compareTo(RowKey other) {
        return ORDER.compare(this, other);
    }

    /** Returns the name by which a node knows its handler: each recurring task is a handler of its own. */
    String handlerName() {
        return handler.equals(Handler.RECURRING) ? handler + id : handler;
    }
}
