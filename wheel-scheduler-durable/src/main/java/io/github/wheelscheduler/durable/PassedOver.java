package io.github.wheelscheduler.durable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rows that this node cannot read and does not claim for a while, which grows each time. Others may be able to. Any thread. */
final class PassedOver {

    /** More than these are claimed and given back again. */
    private static final int MOST_ROWS = 100;

    private static final long FIRST_PAUSE_NANOS = 5_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 600_000_000_000L;

    /** By handler and id. */
    private final Map<RowKey, Pause> pauses = new LinkedHashMap<>();

    private record Pause(long untilNanos, long lengthNanos) {}

    synchronized void add(RowKey row, long nowNanos) {
        RowKey key = keyOf(row);
        Pause before = pauses.remove(key);
        long lengthNanos = before == null ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, 2 * before.lengthNanos());
        pauses.put(key, new Pause(nowNanos + lengthNanos, lengthNanos));
        if (pauses.size() > MOST_ROWS) {
            Iterator<RowKey> eldest = pauses.keySet().iterator();
            RowKey ignored = eldest.next();
            eldest.remove();
        }
    }

    /** Returns those whose pause is not over; the others are remembered, in case they cannot be read again. */
    synchronized List<RowKey> rows(long nowNanos) {
        List<RowKey> rows = new ArrayList<>();
        pauses.forEach((row, pause) -> {
            if (pause.untilNanos() - nowNanos > 0) {
                rows.add(row);
            }
        });
        return rows;
    }

    synchronized void readable(RowKey row) {
        if (!pauses.isEmpty()) {
            Pause ignored = pauses.remove(keyOf(row));
        }
    }

    private static RowKey keyOf(RowKey row) {
        return new RowKey(row.handler(), row.id(), 0);
    }
}
