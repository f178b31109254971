package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.Claim.RowKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rows that this node cannot read and does not claim for a while, which grows each time; others may be able to. Where a handler has many of them, none of
 * its rows is claimed for a while. Any thread.
 */
final class PassedOver {

    private static final int MOST_OF_A_HANDLER = 20;
    private static final int MOST_ROWS = 100;
    private static final long FIRST_PAUSE_NANOS = 5_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 600_000_000_000L;

    /** By handler and id. */
    private final Map<RowKey, Pause> pauses = new LinkedHashMap<>();

    private final Map<String, Pause> handlers = new HashMap<>();

    private record Pause(long untilNanos, long lengthNanos) {

        boolean isOver(long nowNanos) {
            return untilNanos - nowNanos <= 0;
        }
    }

    synchronized void add(RowKey row, long nowNanos) {
        RowKey key = keyOf(row);
        pauses.put(key, longer(pauses.remove(key), nowNanos));
        if (pauses.keySet().stream()
                                .filter(each -> each.handler().equals(row.handler()))
                                .count()
                        > MOST_OF_A_HANDLER
                || pauses.size() > MOST_ROWS) {
            boolean ignored = pauses.keySet().removeIf(each -> each.handler().equals(row.handler()));
            handlers.put(row.handler(), longer(handlers.get(row.handler()), nowNanos));
        }
    }

    private static Pause longer(@Nullable Pause before, long nowNanos) {
        long lengthNanos = before == null ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, 2 * before.lengthNanos());
        return new Pause(nowNanos + lengthNanos, lengthNanos);
    }

    /** Returns those whose pause is not over; the others are remembered, in case they cannot be read again. */
    synchronized List<RowKey> rows(long nowNanos) {
        return pauses.entrySet().stream()
                .filter(entry -> !entry.getValue().isOver(nowNanos))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the handlers of which nothing is claimed now. */
    synchronized Set<String> handlers(long nowNanos) {
        if (handlers.isEmpty()) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        handlers.forEach((name, pause) -> {
            if (!pause.isOver(nowNanos)) {
                names.add(name);
            }
        });
        return names;
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
