package io.github.wheelscheduler.wheel;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical hashed timing wheel, after Varghese and Lauck (1987), scheme 7, with exact deadlines, occupancy bitmaps
 * and no tick of its own.
 *
 * <p>Not thread-safe: one thread owns a wheel. Times are nanoseconds of any clock whose readings are compared by
 * difference; they may be negative and may wrap around. A timer expires in the first call of {@link #advance} with
 * {@code now >= deadline}, rounded up to the next tick, and never before its deadline. Timers expire in the order of
 * their due ticks, and those of one tick in the order in which they were added.
 *
 * <p>Example with a tick of 1 ns (buckets of level 0 are 1 tick wide, of level 1 64 ticks), started at 0:
 *
 * <table>
 * <caption>What is where</caption>
 * <tr><th>after</th><th>level 0</th><th>level 1</th></tr>
 * <tr><td>add A due 3, B due 70, C due 100</td><td>slot 3: A</td><td>slot 1: B C</td></tr>
 * <tr><td>advance to 10: A expires</td><td>-</td><td>slot 1: B C, next expiry at 70</td></tr>
 * <tr><td>advance to 70: B expires</td><td>slot 36: C</td><td>-</td></tr>
 * <tr><td>advance to 100: C expires</td><td>-</td><td>-</td></tr>
 * </table>
 */
public final class TimingWheel {

    /*
     * Where a timer is kept
     * ---------------------
     * Write the due tick and the current tick in base 64. The highest digit in which they differ names the level, and
     * the due tick's digit there names the slot:
     *
     *      current   0 12 40          due   0 12 55   -> level 0, slot 55
     *                                       0 17  3   -> level 1, slot 17
     *                                       2  0  9   -> level 2, slot  2
     *                                       0 12 31   -> past: list of due timers
     *
     * From this follows all that the code relies on:
     *   - All occupied slots of a level lie after the current tick's slot in the same turn, so that no bucket ever mixes
     *     two turns and the lowest set bit of a bitmap is the one that comes first.
     *   - Everything in a level is due before everything in the levels above it. So the next event is the lowest set bit
     *     of the lowest level that is not empty.
     *   - The place depends on nothing but due tick and current tick: timers of one due tick are always in one list, in
     *     the order in which they were added, before and after a cascade.
     *
     * How time passes
     * ---------------
     * advance() goes from event to event. A bucket of level 0 expires. A bucket of a higher level cascades: its timers
     * are placed anew, as seen from the bucket's earliest due tick (or from now, if that is earlier), which takes them as
     * far down as they can go in one step. While a bucket is being worked off, the current tick stays on the last tick
     * before it; so whatever is added for that bucket meanwhile is appended to it and keeps its turn, and the work can
     * be interrupted after every timer.
     */

    /** Base-64 digits of a 63-bit tick. */
    private static final int MAX_LEVELS = (Long.SIZE - 1 + Level.BITS - 1) / Level.BITS;

    private final int tickShift;
    private final long startNanos;

    /** Created when first used. */
    private final @Nullable Level[] levels = new @Nullable Level[MAX_LEVELS];

    /** Timers whose tick has come already, first in, first out. */
    private final Bucket due = new Bucket(null, 0);

    /** All timers that are due at this tick or before it are in {@link #due}; no other timers are. */
    private long currentTick;

    /** The bucket whose cascade the budget has interrupted, or null. */
    private @Nullable Bucket cascading;

    private int cascadingLevel;

    /** The tick from which the timers of {@link #cascading} are placed; it lies in that bucket. */
    private long cascadeTick;

    private long size;

    /**
     * Creates an empty wheel.
     *
     * @param tickShift the tick is {@code 1 << tickShift} nanoseconds; 0 to 40
     * @param startNanos the time now
     * @throws IllegalArgumentException if the shift is out of range
     */
    public TimingWheel(int tickShift, long startNanos) {
        if (tickShift < 0 || tickShift > 40) {
            throw new IllegalArgumentException("tickShift must be between 0 and 40, was " + tickShift);
        }
        this.tickShift = tickShift;
        this.startNanos = startNanos;
    }

    /** Adds a timer that is in no wheel. A timer whose deadline has passed expires in the next {@link #advance}. */
    public void add(TimerNode node) {
        place(node, dueTickOf(node), currentTick);
        size++;
    }

    /** Removes the timer if this wheel holds it, and says whether it did. */
    public boolean remove(TimerNode node) {
        Bucket bucket = node.bucket;
        if (bucket == null) {
            return false;
        }
        bucket.unlink(node);
        node.bucket = null;
        size--;
        return true;
    }

    /** Puts a timer whose deadline has changed where it belongs now; adds it if the wheel does not hold it. */
    public void reposition(TimerNode node) {
        Bucket bucket = node.bucket;
        if (bucket != null) {
            // It keeps its mark: whoever cancels it now must see that the wheel holds it.
            bucket.unlink(node);
            size--;
        }
        add(node);
    }

    /**
     * Expires the timers that are due at {@code nowNanos}, and moves others on, touching at most {@code budget} of them.
     *
     * @return the unused budget; 0 says that there may be more to do, for which the next call needs no later time
     */
    public int advance(long nowNanos, int budget, Expiry expiry) {
        long nowTick = (nowNanos - startNanos) >> tickShift;
        int left = budget;
        while (left > 0) {
            if (!due.isEmpty()) {
                left = expireAll(due, cascading == null ? currentTick : cascadeTick, left, expiry);
                continue;
            }
            if (cascading != null) {
                left = cascade(cascading, left);
                continue;
            }
            int index = lowestOccupiedLevel();
            if (index < 0) {
                currentTick = Math.max(currentTick, nowTick);
                break;
            }
            Level level = level(index);
            int slot = level.firstOccupiedSlot();
            long slotTick = level.firstTickOf(slot, currentTick);
            if (slotTick > nowTick) {
                currentTick = Math.max(currentTick, nowTick);
                break;
            }
            Bucket bucket = level.bucket(slot);
            if (bucket.isSingleton() && bucket.earliestTick <= nowTick) {
                currentTick = slotTick;
                expireFirst(bucket, Math.min(nowTick, level.lastTickOf(slotTick)), expiry);
                left--;
            } else if (index == 0) {
                currentTick = slotTick - 1;
                left = expireAll(bucket, slotTick, left, expiry);
                if (bucket.isEmpty()) {
                    currentTick = slotTick;
                }
            } else {
                currentTick = slotTick - 1;
                cascading = bucket;
                cascadingLevel = index;
                cascadeTick = Math.min(bucket.earliestTick, nowTick);
            }
        }
        return left;
    }

    /**
     * Returns how many nanoseconds after {@code nowNanos} {@link #advance} has something to do again: 0 if there is
     * something now, {@code Long.MAX_VALUE} if the wheel is empty. It may be too early, when timers were removed or moved
     * to later deadlines, but not too late.
     */
    public long nanosToNextExpiry(long nowNanos) {
        if (!due.isEmpty() || cascading != null) {
            return 0;
        }
        int index = lowestOccupiedLevel();
        if (index < 0) {
            return Long.MAX_VALUE;
        }
        Level level = level(index);
        long tick = level.bucket(level.firstOccupiedSlot()).earliestTick;
        return Math.max(0, startNanos + (tick << tickShift) - nowNanos);
    }

    /**
     * Removes the timers for which the filter says so, in no particular order, and passes each on; looks at all timers.
     *
     * @return how many were removed
     */
    public long removeIf(Predicate<? super TimerNode> filter, Expiry removed) {
        long before = size;
        removeIf(due, filter, removed);
        for (Level level : levels) {
            for (int slot = 0; level != null && slot < Level.SLOTS; slot++) {
                removeIf(level.bucket(slot), filter, removed);
            }
        }
        return before - size;
    }

    /** Returns the number of timers in the wheel. */
    public long size() {
        return size;
    }

    private void removeIf(Bucket bucket, Predicate<? super TimerNode> filter, Expiry removed) {
        TimerNode node = bucket.head;
        while (node != null) {
            TimerNode following = node.next;
            if (filter.test(node)) {
                boolean wasHere = remove(node);
                assert wasHere : "a node in a bucket must know it";
                removed.expire(node);
            }
            node = following;
        }
    }

    private int expireAll(Bucket bucket, long limitTick, int budget, Expiry expiry) {
        int left = budget;
        while (left > 0 && !bucket.isEmpty()) {
            left--;
            expireFirst(bucket, limitTick, expiry);
        }
        return left;
    }

    /** Takes the first timer out: it expires if it is due by {@code limitTick}, and is placed anew if it was moved on. */
    private void expireFirst(Bucket bucket, long limitTick, Expiry expiry) {
        TimerNode node = bucket.head;
        if (node == null) {
            return;
        }
        bucket.unlink(node);
        long dueTick = dueTickOf(node);
        if (dueTick <= limitTick) {
            node.bucket = null;
            size--;
            expiry.expire(node);
        } else {
            place(node, dueTick, currentTick);
        }
    }

    private int cascade(Bucket bucket, int budget) {
        int left = budget;
        while (left > 0) {
            TimerNode node = bucket.head;
            if (node == null) {
                currentTick = cascadeTick;
                cascading = null;
                break;
            }
            left--;
            bucket.unlink(node);
            place(node, dueTickOf(node), cascadeTick);
        }
        return left;
    }

    private void place(TimerNode node, long dueTick, long fromTick) {
        if (dueTick <= fromTick) {
            due.append(node, dueTick);
        } else {
            int highestDifferentBit = Long.SIZE - 1 - Long.numberOfLeadingZeros(dueTick ^ fromTick);
            level(highestDifferentBit / Level.BITS).bucketOf(dueTick).append(node, dueTick);
        }
    }

    /** Returns the deadline, rounded up to a tick. */
    private long dueTickOf(TimerNode node) {
        long sinceStart = node.deadlineNanos() - startNanos;
        return (sinceStart + (1L << tickShift) - 1) >> tickShift;
    }

    private Level level(int index) {
        Level level = levels[index];
        if (level == null) {
            level = new Level(index);
            levels[index] = level;
        }
        return level;
    }

    private int lowestOccupiedLevel() {
        for (int index = 0; index < MAX_LEVELS; index++) {
            Level level = levels[index];
            if (level != null && !level.isEmpty()) {
                return index;
            }
        }
        return -1;
    }

    /** Walks the whole wheel and throws an {@link AssertionError} if anything is not as this class relies on. */
    void checkInvariants() {
        long found = checkBucket(due, Long.MIN_VALUE, Long.MAX_VALUE);
        for (int index = 0; index < MAX_LEVELS; index++) {
            Level level = levels[index];
            if (level != null) {
                found += checkLevel(level, index);
            }
        }
        check(found == size, "size must be the number of linked timers, was " + size + " for " + found);
        check(cascading == null || cascadeTick > currentTick, "a cascade must start after the current tick");
    }

    private long checkLevel(Level level, int index) {
        // Below the bucket that cascades, timers are placed as seen from the cascade, which is ahead of the current
        // tick.
        long reference = cascading != null && index < cascadingLevel ? cascadeTick : currentTick;
        long found = 0;
        for (int slot = 0; slot < Level.SLOTS; slot++) {
            Bucket bucket = level.bucket(slot);
            boolean marked = (level.occupied() >>> slot & 1) == 1;
            check(marked != bucket.isEmpty(), "bitmap of level " + index + " must show slot " + slot);
            long first = level.firstTickOf(slot, reference);
            if (!bucket.isEmpty()) {
                check(slot > level.slotOf(reference), "slot " + slot + " of level " + index + " must lie ahead");
                found += checkBucket(bucket, first, first + (1L << (index * Level.BITS)));
            }
        }
        return found;
    }

    private long checkBucket(Bucket bucket, long firstTick, long endTick) {
        long found = 0;
        TimerNode before = null;
        for (TimerNode node = bucket.head; node != null; node = node.next) {
            check(node.bucket == bucket, "a node must know its bucket");
            check(node.previous == before, "links must agree in both directions");
            before = node;
            found++;
        }
        check(bucket.tail() == before, "the tail must be the last node");
        if (found > 0) {
            long earliest = bucket.earliestTick;
            check(
                    (earliest >= firstTick && earliest < endTick) || endTick < firstTick,
                    "earliest tick " + earliest + " must be in " + firstTick + " to " + endTick);
        } else {
            check(bucket.earliestTick == Bucket.NO_TICK, "an empty bucket must have no earliest tick");
        }
        return found;
    }

    private static void check(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError(rule);
        }
    }
}
