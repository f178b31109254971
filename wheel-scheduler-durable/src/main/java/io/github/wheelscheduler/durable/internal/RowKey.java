package io.github.wheelscheduler.durable.internal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;

/**
 * A row as a node has claimed it: each change of hands gives it another version. Ordered as several are locked.
 *
 * @param handler the name of its handler, or {@link Handler#RECURRING} for all recurring tasks
 * @param id which task it is of that handler
 * @param version of the row
 */
record RowKey(String handler, String id, long version) implements Comparable<RowKey> {

    static final String ONE = " where task_name = ? and task_instance = ?";
    static final String OURS = ONE + " and version = ?";

    private static final Comparator<RowKey> ORDER =
            Comparator.comparing(RowKey::handler).thenComparing(RowKey::id).thenComparingLong(RowKey::version);

    static RowKey read(ResultSet row, int number) throws SQLException {
        return new RowKey(row.getString("task_name"), row.getString("task_instance"), row.getLong("version"));
    }

    /** Returns the parameters of {@link #ONE}. */
    Object[] one() {
        return new Object[] {handler, id};
    }

    /** Returns the parameters of {@link #OURS}. */
    Object[] ours() {
        return new Object[] {handler, id, version};
    }

    @Override
    public int compareTo(RowKey other) {
        return ORDER.compare(this, other);
    }

    /** Returns the name by which a node knows its handler: each recurring task is a handler of its own. */
    String handlerName() {
        return handler.equals(Handler.RECURRING) ? handler + id : Handler.known(handler);
    }
}
