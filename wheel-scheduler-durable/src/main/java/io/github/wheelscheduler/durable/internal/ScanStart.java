package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.ClaimTable.Candidates;
import io.github.wheelscheduler.durable.internal.TaskRow.Made;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The due time at which a poll begins to read waiting rows. While a transaction elsewhere stays open, no database
 * purges rows claimed since then, and a poll of all waiting rows reads them. If that takes long, polls begin a second
 * before now, or at rows that they have left. A poll of all rows then takes at most a fiftieth of the time, but follows
 * at least once a second, or when a node asks for it. One thread at a time.
 */
final class ScanStart {

    /** A task that is scheduled for now, and committed at once, is in time. */
    static final Duration SLACK = Duration.ofSeconds(1);

    private static final long CHEAP_NANOS = 5_000_000;
    private static final long LONGEST_NANOS = 1_000_000_000;
    private static final long LONGEST_ASKED_NANOS = 200_000_000;
    private static final int LONGER_AFTER_FAILURE = 10;

    private final Map<String, Instant> marks = new HashMap<>();

    private boolean isAsked;
    private boolean hasFailed;
    private long fullLooks;
    private long lookedNanos;
    private long takenNanos;
    private long takenBeforeNanos;

    /** Returns from when on looks read, by name in the rows. */
    Map<String, Instant> marks() {
        return marks;
    }

    /** One that took long may have waited for a processor. */
    boolean isFullDue(long nowNanos) {
        long taken = Math.min(takenNanos, takenBeforeNanos);
        long longest = (isAsked ? LONGEST_ASKED_NANOS : LONGEST_NANOS) * (hasFailed ? LONGER_AFTER_FAILURE : 1);
        return taken < CHEAP_NANOS || nowNanos - lookedNanos >= Math.min(longest, Claiming.PART_OF_TIME * taken);
    }

    /**
     * Takes in how many looks at all that waits nodes have asked for; if these are others than before, the next one is
     * soon.
     */
    void hear(long asked) {
        isAsked |= asked != fullLooks;
        fullLooks = asked;
    }

    /** Lets the next look at all that waits be soon. */
    void ask() {
        isAsked = true;
    }

    /** A look at all that waits has been taken. */
    void looked(long startNanos, long endNanos) {
        lookedNanos = endNanos;
        takenBeforeNanos = takenNanos;
        takenNanos = endNanos - startNanos;
        isAsked = false;
        hasFailed = false;
    }

    /** The same for one that the database has refused: it takes its part of the time, and no more. */
    void failed(long startNanos, long endNanos) {
        looked(startNanos, endNanos);
        takenBeforeNanos = takenNanos;
        hasFailed = true;
    }

    /** Lets the next look begin at the earliest that has been left, and a second ago at the latest. */
    void move(List<String> names, Map<String, Candidates> due, List<TaskRow> claimed, Instant now) {
        Instant latest = now.minus(SLACK);
        names.forEach(name -> marks.put(name, latest));
        Instant ignored = marks.put(Handler.RECURRING, latest);
        ignored = marks.put(Handler.MADE, latest);
        Map<String, Instant> last = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (TaskRow row : claimed) {
            // They are in the order in which they are due.
            ignored = last.put(row.lookName(), row.dueAt());
            Integer unused = counts.merge(row.lookName(), 1, Integer::sum);
        }
        due.forEach((name, candidates) -> {
            int count = counts.getOrDefault(name, 0);
            if (count < candidates.count() || count == Claiming.BATCH) {
                Instant unused =
                        marks.merge(nameOf(name), last.getOrDefault(name, candidates.earliest()), ScanStart::earlier);
            }
        });
    }

    /** Returns the name in the rows of what a look calls so. */
    static String nameOf(String handler) {
        if (handler.startsWith(Made.MARK)) {
            return Handler.MADE;
        }
        return handler.startsWith(Handler.RECURRING) ? Handler.RECURRING : handler;
    }

    static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
