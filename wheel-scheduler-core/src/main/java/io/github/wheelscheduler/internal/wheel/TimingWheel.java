package io.github.wheelscheduler.internal.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical hashed timing wheel, after Varghese and Lauck (1987), scheme 7, with exact deadlines, occupancy
 * bitmaps and no tick of its own.
 *
 * <p>It expires, cascades, prepares and sweeps: each moves timers between the same lists, by the rules below. Buckets,
 * chunks, levels, preparation and sweeps have files of their own.
 *
 * <p>Not thread-safe: one thread owns a wheel. Times are nanoseconds of any clock whose readings are compared by
 * difference; they may be negative and may wrap around. A timer expires in the first call of {@link #advance} with
 * {@code now >= deadline}, rounded up to the next tick, and never before its deadline. Timers expire in the order of
 * their due ticks, and those of one tick in the order in which they were added.
 *
 * <p>Example with a tick of 1 ns (buckets of level 0 are 1 tick wide, of level 1 64 ticks), started at 0:
 *
 * <table>
 * <caption>The places of the timers</caption>
 * <tr><th>after</th><th>level 0</th><th>level 1</th></tr>
 * <tr><td>add A due 3, B due 70, C due 100</td><td>slot 3: A</td><td>slot 1: B C</td></tr>
 * <tr><td>advance to 10: A expires</td><td>-</td><td>slot 1: B C, next expiry at 70</td></tr>
 * <tr><td>advance to 70: B expires</td><td>slot 36: C</td><td>-</td></tr>
 * <tr><td>advance to 100: C expires</td><td>-</td><td>-</td></tr>
 * </table>
 */
public final class TimingWheel {

    /*
     * The place of a timer
     * --------------------
     * Write the due tick and the current tick in base 64. The highest digit in which they differ names the level, and
     * the due tick's digit there names the slot:
     *
     *      current   0 12 40          due   0 12 55   -> level 0, slot 55
     *                                       0 17  3   -> level 1, slot 17
     *                                       2  0  9   -> level 2, slot  2
     *                                       0 12 31   -> past: list of due timers
     *
     * From this follows all that the code relies on:
     *   - All occupied slots of a level lie after the current tick's slot in the same turn, so that no bucket ever
     *     mixes two turns and the lowest set bit of a bitmap is the one that comes first.
     *   - Everything in a level is due before everything in the levels above it. So the next event is the lowest set
     *     bit of the lowest level that is not empty.
     *   - The place depends on nothing but due tick and current tick: timers of one due tick are always in one list, in
     *     the order in which they were added, before and after a cascade.
     *
     * The passage of time
     * -------------------
     * advance() goes from event to event. A bucket of level 0 expires. A bucket of a higher level cascades: its timers
     * are placed anew, as seen from the bucket's earliest due tick (or from now, if that is earlier), which takes them
     * as far down as they can go in one step. While a bucket is being worked off, the current tick stays on the last
     * tick before it; so a timer that is added for that bucket meanwhile is appended to it and keeps its turn, and the
     * work can be interrupted after every timer.
     *
     * A large bucket is prepared before its time, see Preparation. It is pinned then: its bit stays set and its
     * earliest tick valid, so that the rules above need not know of it. Its cascade begins with putting the prepared
     * level in use:
     *
     *      level 1, slot 17, pinned:  E F           what was added late
     *      prepared level 0:  slot 3: A  slot 9: B C  slot 40: D
     *
     *      cascade from slot 9 (A is gone)  ->  level 0 = prepared level; then B and C are placed, then E and F
     *
     * Lack of memory
     * --------------
     * A timer that moves is appended to its new bucket, which may need memory, before it is taken out of the old one.
     * So a failed call leaves everything as it was, and the next call repeats it.
     */

    /** The number of buckets of a level; it is also the ratio of the widths of two levels. */
    public static final int BUCKETS = Level.SLOTS;

    /** Base-64 digits of a 63-bit tick. */
    static final int MAX_LEVELS = (Long.SIZE - 1 + Level.BITS - 1) / Level.BITS;

    /** The number of timers from which a bucket is cascaded ahead of its time. */
    private static final int MIN_PREPARED = 1024;

    /** More than buckets that hold few timers each can have after a sweep. */
    private static final int SPARSE_CHUNKS = 4 * MAX_LEVELS * Level.SLOTS;

    private final int tickShift;
    private final long startNanos;
    final ChunkTable chunks;
    private final Sweep sweep = new Sweep(this);
    final Preparation preparation;

    /** Created when first used. */
    final @Nullable Level[] levels = new @Nullable Level[MAX_LEVELS];

    /** Timers whose tick has come already, first in, first out. */
    final Bucket due;

    /** Timers whose time has come, and that wait outside of all that follows. */
    private final List<Bucket> waitingLists = new ArrayList<>();

    /** All timers that are due at this tick or before it are in {@link #due}; no other timers are. */
    long currentTick;

    /** The buckets that are being cascaded, the last one first. */
    final @Nullable Bucket[] cascading = new @Nullable Bucket[MAX_LEVELS];

    int cascadingCount;

    /** The tick from which the timers of {@link #cascading} are placed; it lies in those buckets. */
    long cascadeTick;

    private long size;

    /** Keeps the compiler from leaving out reads whose result is not used. */
    @SuppressWarnings("unused")
    private long touched;

    /**
     * Creates an empty wheel.
     *
     * @param tickShift the tick is {@code 1 << tickShift} nanoseconds; 0 to 40
     * @param startNanos the time now
     * @throws IllegalArgumentException if the shift is out of range
     */
    public TimingWheel(int tickShift, long startNanos) {
        this(tickShift, startNanos, MIN_PREPARED, () -> {});
    }

    /** For tests: prepares buckets that hold fewer timers, and may run out of memory. */
    TimingWheel(int tickShift, long startNanos, int minPrepared, Runnable beforeAllocation) {
        if (tickShift < 0 || tickShift > 40) {
            throw new IllegalArgumentException("tickShift must be between 0 and 40, was " + tickShift);
        }
        this.tickShift = tickShift;
        this.startNanos = startNanos;
        this.chunks = new ChunkTable(beforeAllocation);
        this.due = new Bucket(chunks, null, 0);
        this.preparation = new Preparation(this, minPrepared);
    }

    /**
     * Adds a timer that is in no wheel. A timer whose deadline has passed expires in the next {@link #advance}.
     *
     * @throws OutOfMemoryError if there is no memory for it; it is in no wheel then
     */
    public void add(TimerNode node) {
        place(node, dueTickOf(node), currentTick);
        size++;
    }

    /** Removes the timer if this wheel holds it, and returns whether it did. */
    public boolean remove(TimerNode node) {
        Chunk chunk = chunks.chunkOf(node);
        if (chunk == null || chunk.bucket == null) {
            return false;
        }
        chunk.bucket.remove(chunk, Chunk.cellOf(node.position));
        node.position = 0;
        size--;
        return true;
    }

    /**
     * Puts a timer whose deadline has changed where it belongs now; adds it if the wheel does not hold it.
     *
     * @throws OutOfMemoryError if there is no memory for it; it is where it was then, and to be repositioned again
     *     unless its deadline has become later
     */
    public void reposition(TimerNode node) {
        Chunk chunk = chunks.chunkOf(node);
        if (chunk == null || chunk.bucket == null) {
            add(node);
            return;
        }
        int cell = Chunk.cellOf(node.position);
        place(node, dueTickOf(node), currentTick);
        chunk.bucket.remove(chunk, cell);
    }

    /** Returns a new list for timers of this wheel that wait for something that is no time. */
    public Bucket newWaitingList() {
        Bucket list = new Bucket(chunks, null, 0);
        waitingLists.add(list);
        return list;
    }

    /** Forgets a list in which no timer waits, and in which none will. */
    public void dropWaitingList(Bucket list) {
        if (!list.isEmpty()) {
            throw new IllegalStateException("list must be empty, holds " + list.count() + " timers");
        }
        int index = waitingLists.indexOf(list);
        if (index >= 0) {
            waitingLists.remove(index);
            sweep.waitingListDropped(index);
        }
        list.releaseLastChunk();
    }

    /**
     * Lets a timer wait that is in no wheel, at the end of the list.
     *
     * @throws OutOfMemoryError if there is no memory for it; it is in no wheel then
     */
    public void addWaiting(TimerNode node, Bucket list) {
        list.append(node, Bucket.NO_TICK);
        size++;
    }

    /**
     * Moves a timer that waits to the end of another list.
     *
     * @throws OutOfMemoryError if there is no memory for it; it is where it was then
     */
    public void moveWaiting(TimerNode node, Bucket list) {
        Chunk chunk = chunks.chunkOf(node);
        if (chunk != null && chunk.bucket != null) {
            int cell = Chunk.cellOf(node.position);
            list.append(node, Bucket.NO_TICK);
            chunk.bucket.remove(chunk, cell);
        }
    }

    /** Returns the bucket of a waiting list, null if there are fewer. */
    @Nullable
    Bucket waitingBucket(int index) {
        return index < waitingLists.size() ? waitingLists.get(index) : null;
    }

    /**
     * Expires the timers that are due at {@code nowNanos}, and moves others on, touching at most {@code budget} of
     * them. Timers that are over are given up on the way.
     *
     * @return the unused budget; 0 says that there may be more to do, for which the next call needs no later time
     */
    public int advance(long nowNanos, int budget, Expiry expiry) {
        long nowTick = tickOf(nowNanos);
        int left = budget;
        while (left > 0) {
            if (!due.isEmpty()) {
                left = expireAll(due, cascadingCount == 0 ? currentTick : cascadeTick, left, expiry);
                continue;
            }
            if (cascadingCount > 0) {
                left = cascade(left, expiry);
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
            Bucket bucket = level.buckets[slot];
            if (bucket.isSingleton() && bucket.earliestTick <= nowTick) {
                moveFirst(bucket, Math.min(nowTick, level.lastTickOf(slotTick)), slotTick, slotTick, expiry);
                left--;
            } else if (index == 0) {
                currentTick = slotTick - 1;
                left = expireAll(bucket, slotTick, left, expiry);
                if (bucket.isEmpty()) {
                    currentTick = slotTick;
                }
            } else {
                currentTick = slotTick - 1;
                cascadeTick = Math.min(bucket.earliestTick, nowTick);
                startCascade(bucket, index);
            }
        }
        return left;
    }

    /**
     * Puts the levels that are prepared for the bucket in use; of those, only the first bucket is still to be placed.
     */
    private void startCascade(Bucket bucket, int index) {
        Bucket current = bucket;
        cascading[cascadingCount++] = current;
        for (int below = index - 1; below >= 0; below--) {
            Level prepared = preparation.exchange(current, below, levels[below]);
            if (prepared == null) {
                break;
            }
            levels[below] = prepared;
            current = prepared.bucketOf(cascadeTick);
            cascading[cascadingCount++] = current;
        }
    }

    /** Places the first timer of a bucket in the level that is being prepared for it. */
    void moveAhead(Bucket bucket, Level below, long firstTick, long lastTick, Expiry expiry) {
        TimerNode node = first(bucket);
        if (node == null) {
            return;
        }
        long dueTick = dueTickOf(node);
        if (node.isOver()) {
            giveUpFirst(bucket, node, expiry);
        } else if (dueTick >= firstTick && dueTick <= lastTick) {
            bucket.earliestTick = Math.min(bucket.earliestTick, dueTick);
            below.bucketOf(dueTick).append(node, dueTick);
            bucket.dropPeeked();
        } else {
            place(node, dueTick, currentTick);
            bucket.dropPeeked();
        }
    }

    /**
     * Returns how many nanoseconds after {@code nowNanos} {@link #advance} has something to do again: 0 if there is
     * something now, {@code Long.MAX_VALUE} if the wheel is empty. It may be too early, when timers were removed or
     * moved to later deadlines, but not too late.
     */
    public long nanosToNextExpiry(long nowNanos) {
        if (hasToAdvance()) {
            return 0;
        }
        int index = lowestOccupiedLevel();
        if (index < 0) {
            return Long.MAX_VALUE;
        }
        Level level = level(index);
        long tick = level.buckets[level.firstOccupiedSlot()].earliestTick;
        return nanosUntil(tick, nowNanos);
    }

    /**
     * Cascades large buckets ahead of their time, after {@link #advance}, touching at most {@code budget} timers.
     * Without it all timers expire on time, but a large cascade delays due timers.
     *
     * @return the unused budget; 0 says that there is more to do, well before {@link #nanosToNextExpiry} if possible
     */
    public int prepare(long nowNanos, int budget, Expiry expiry) {
        if (hasToAdvance()) {
            return budget;
        }
        return preparation.prepare(tickOf(nowNanos), budget, expiry);
    }

    /** Whether there is something to do for {@link #advance} that needs no later time. */
    private boolean hasToAdvance() {
        return !due.isEmpty() || cascadingCount > 0;
    }

    /**
     * Returns how many nanoseconds after {@code nowNanos} {@link #prepare} has something to do again: 0 if there is
     * something now, {@code Long.MAX_VALUE} if no bucket is large, or if {@link #advance} has to come first.
     */
    public long nanosToNextPreparation(long nowNanos) {
        if (hasToAdvance()) {
            return Long.MAX_VALUE;
        }
        long tick = preparation.nextTick();
        return tick == Bucket.NO_TICK ? Long.MAX_VALUE : nanosUntil(tick, nowNanos);
    }

    private long tickOf(long nowNanos) {
        return (nowNanos - startNanos) >> tickShift;
    }

    private long nanosUntil(long tick, long nowNanos) {
        return Math.max(0, startNanos + (tick << tickShift) - nowNanos);
    }

    /**
     * Removes the timers that the filter matches, in no particular order, and passes each on; looks at all timers.
     *
     * @return the number of removed timers
     */
    public long removeIf(Predicate<? super TimerNode> filter, Expiry removed) {
        long before = size;
        removeIf(due, filter, removed);
        for (Bucket list : waitingLists) {
            removeIf(list, filter, removed);
        }
        for (int index = 0; index < MAX_LEVELS; index++) {
            removeIf(levels[index], filter, removed);
            removeIf(preparation.levelIfUsed(index), filter, removed);
        }
        return before - size;
    }

    /**
     * Starts to look for timers that are over, which {@link #sweep} then does step by step; without effect while a
     * sweep is active.
     */
    public void startSweep() {
        sweep.start();
    }

    public boolean isSweeping() {
        return sweep.active;
    }

    /**
     * Goes on with the sweep, if there is one, looking at about {@code budget} timers: gives those up that are over,
     * and the memory of removed ones.
     *
     * @return the unused budget; 0 says that the sweep is not through
     */
    public int sweep(int budget, Expiry expiry) {
        return sweep.goOn(budget, expiry);
    }

    /** Whether the wheel holds much more memory than its timers need, which a sweep gives back. */
    public boolean isSparse() {
        return chunks.inUse > SPARSE_CHUNKS && ((long) chunks.inUse << Chunk.BITS) > 4 * size;
    }

    /** Returns the number of timers in the wheel, with timers that are over and have not been given up. */
    public long size() {
        return size;
    }

    /**
     * Returns the number of timers in each bucket, by level and slot, including finished timers that have not been
     * swept out. A timer that was cascaded ahead of time counts for its original bucket. A level that holds none has no
     * counts. With the due and waiting ones, these are all.
     */
    public long[][] counts() {
        long[][] counts = new long[MAX_LEVELS][0];
        for (int index = 0; index < MAX_LEVELS; index++) {
            Level level = levels[index];
            if (level != null && !level.isEmpty()) {
                counts[index] = level.counts();
            }
        }
        preparation.addTo(counts);
        return counts;
    }

    /**
     * Returns how many timers have come to their time and are in no bucket any more, with the ones that wait in lists.
     */
    public long dueAndWaitingCount() {
        long count = due.count();
        for (Bucket list : waitingLists) {
            count += list.count();
        }
        return count;
    }

    /** Returns the slot of a level that the current tick is in. */
    public int currentSlot(int level) {
        return (int) (currentTick >>> (level * Level.BITS)) & (Level.SLOTS - 1);
    }

    private void removeIf(@Nullable Level level, Predicate<? super TimerNode> filter, Expiry removed) {
        for (int slot = 0; level != null && slot < Level.SLOTS; slot++) {
            removeIf(level.buckets[slot], filter, removed);
        }
    }

    /** Removes the timers of a list that the filter matches, and passes each on. */
    public void removeIf(Bucket bucket, Predicate<? super TimerNode> filter, Expiry removed) {
        Chunk chunk = bucket.head;
        while (chunk != null && chunk.bucket == bucket) {
            Chunk following = chunk.next;
            for (int cell = chunk.first; cell < chunk.end; cell++) {
                TimerNode node = chunk.nodes[cell];
                if (node != null && filter.test(node)) {
                    boolean wasHere = remove(node);
                    assert wasHere : "a node in a chunk must know its position";
                    removed.expire(node);
                }
            }
            chunk = following;
        }
    }

    private int expireAll(Bucket bucket, long limitTick, int budget, Expiry expiry) {
        int left = budget;
        while (left > 0 && !bucket.isEmpty()) {
            left--;
            moveFirst(bucket, limitTick, currentTick, currentTick, expiry);
        }
        return left;
    }

    /**
     * Takes the first timer out: it expires if it is due by {@code limitTick} or over, and is placed anew, as seen from
     * {@code fromTick}, if not. Then the current tick is {@code nextTick}.
     */
    private void moveFirst(Bucket bucket, long limitTick, long fromTick, long nextTick, Expiry expiry) {
        TimerNode node = first(bucket);
        if (node == null) {
            return;
        }
        long dueTick = dueTickOf(node);
        if (dueTick <= limitTick || node.isOver()) {
            currentTick = nextTick;
            giveUpFirst(bucket, node, expiry);
        } else {
            place(node, dueTick, fromTick);
            bucket.dropPeeked();
            currentTick = nextTick;
        }
    }

    private int cascade(int budget, Expiry expiry) {
        int left = budget;
        while (left > 0 && cascadingCount > 0) {
            Bucket bucket = cascading[cascadingCount - 1];
            if (bucket == null || bucket.isEmpty()) {
                cascading[--cascadingCount] = null;
                if (cascadingCount == 0) {
                    currentTick = cascadeTick;
                }
            } else {
                left--;
                // None expires here: due timers move to a list of their own.
                moveFirst(bucket, Long.MIN_VALUE, cascadeTick, currentTick, expiry);
            }
        }
        return left;
    }

    /** Gives up the timer in that cell. */
    void giveUp(Bucket bucket, Chunk chunk, int cell, Expiry expiry) {
        TimerNode node = chunk.nodes[cell];
        if (node != null) {
            bucket.remove(chunk, cell);
            giveUp(node, expiry);
        }
    }

    /** Returns the first timer, and reads those behind it when it is the first of a chunk; null if there is none. */
    private @Nullable TimerNode first(Bucket bucket) {
        Chunk chunk = bucket.head;
        if (chunk != null && chunk.first == 0 && chunk.count > 1) {
            touch(chunk);
        }
        return bucket.peek();
    }

    void touch(Chunk chunk) {
        touched = chunk.touch();
    }

    private void giveUpFirst(Bucket bucket, TimerNode node, Expiry expiry) {
        bucket.dropPeeked();
        giveUp(node, expiry);
    }

    private void giveUp(TimerNode node, Expiry expiry) {
        node.position = 0;
        size--;
        expiry.expire(node);
    }

    /** Puts the timer where it belongs, as seen from that tick. Without memory for it, it stays where it is. */
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
            level = chunks.newLevel(index);
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
}
