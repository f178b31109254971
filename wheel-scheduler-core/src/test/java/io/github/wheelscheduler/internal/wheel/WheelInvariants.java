package io.github.wheelscheduler.internal.wheel;

import java.util.Arrays;

/** Walks a whole wheel and throws an {@link AssertionError} if anything is not as the code of the wheel relies on. */
final class WheelInvariants {

    private final TimingWheel wheel;

    private WheelInvariants(TimingWheel wheel) {
        this.wheel = wheel;
    }

    static void check(TimingWheel wheel) {
        new WheelInvariants(wheel).checkAll();
    }

    private void checkAll() {
        long found = checkBucket(wheel.due, Long.MIN_VALUE, Long.MAX_VALUE);
        for (int index = 0; index < TimingWheel.MAX_LEVELS; index++) {
            Level level = wheel.levels[index];
            if (level != null) {
                found += checkLevel(level, index);
            }
            found += checkPrepared(index);
        }
        check(found == wheel.size(), "size must be the number of timers, was " + wheel.size() + " for " + found);
        long counted = wheel.dueAndWaitingCount();
        for (long[] level : wheel.counts()) {
            counted += Arrays.stream(level).sum();
        }
        check(counted == wheel.size(), "the counts must be those of all timers, were " + counted);
        boolean cascading = wheel.cascadingCount > 0;
        check(!cascading || wheel.cascadeTick > wheel.currentTick, "a cascade must start after the current tick");
    }

    private long checkLevel(Level level, int index) {
        check(level.index == index, "a level must stand at its index");
        // Below the bucket that cascades, timers are placed as seen from the cascade, which is ahead of the current
        // tick.
        Bucket cascading = wheel.cascading[0];
        boolean ahead = cascading != null && index < levelOf(cascading);
        long reference = ahead ? wheel.cascadeTick : wheel.currentTick;
        long found = 0;
        for (int slot = 0; slot < Level.SLOTS; slot++) {
            Bucket bucket = level.buckets[slot];
            checkMark(level, slot);
            if (bucket.pinned) {
                check(index > 0 && wheel.preparation.parents[index - 1] == bucket, "a pinned bucket must be prepared");
            }
            if (!bucket.isEmpty()) {
                boolean inCascade = Arrays.asList(wheel.cascading).contains(bucket);
                check(inCascade || slot > level.slotOf(reference), "slot " + slot + " of " + index + " must lie ahead");
                long first = level.firstTickOf(slot, reference);
                found += checkBucket(bucket, first, level.lastTickOf(first));
            }
        }
        return found;
    }

    private int levelOf(Bucket bucket) {
        for (int index = 0; index < TimingWheel.MAX_LEVELS; index++) {
            Level level = wheel.levels[index];
            for (int slot = 0; level != null && slot < Level.SLOTS; slot++) {
                if (level.buckets[slot] == bucket) {
                    return index;
                }
            }
        }
        throw new AssertionError("a bucket that cascades must be in a level");
    }

    private long checkPrepared(int index) {
        Level level = wheel.preparation.levelIfUsed(index);
        Bucket parent = wheel.preparation.parents[index];
        if (level == null || parent == null) {
            check(parent == null, "a parent must have a level");
            return 0;
        }
        check(parent.pinned, "the parent of a prepared level must be pinned");
        check(level.index == index, "a prepared level must stand at its index");
        long found = 0;
        for (int slot = 0; slot < Level.SLOTS; slot++) {
            Bucket bucket = level.buckets[slot];
            checkMark(level, slot);
            if (!bucket.isEmpty()) {
                check(bucket.earliestTick >= parent.earliestTick, "the earliest tick of a parent must hold");
                long first = level.firstTickOf(slot, bucket.earliestTick);
                found += checkBucket(bucket, first, level.lastTickOf(first));
            }
        }
        return found;
    }

    private static void checkMark(Level level, int slot) {
        boolean marked = (level.occupied >>> slot & 1) == 1;
        Bucket bucket = level.buckets[slot];
        check(marked == (!bucket.isEmpty() || bucket.pinned), "bitmap of " + level.index + " must show " + slot);
    }

    private long checkBucket(Bucket bucket, long firstTick, long lastTick) {
        long found = 0;
        Chunk before = null;
        for (Chunk chunk = bucket.head; chunk != null; chunk = chunk.next) {
            check(chunk.bucket == bucket && chunk.previous == before, "links must agree in both directions");
            found += checkChunk(chunk);
            before = chunk;
        }
        check(found == bucket.count(), "the count of a bucket must be right");
        long earliest = bucket.earliestTick;
        if (found > 0) {
            check(
                    (earliest >= firstTick && earliest <= lastTick) || lastTick < firstTick,
                    "earliest tick " + earliest + " must be in " + firstTick + " to " + lastTick);
        } else if (!bucket.pinned) {
            check(earliest == Bucket.NO_TICK, "an empty bucket must have no earliest tick");
        }
        return found;
    }

    private long checkChunk(Chunk chunk) {
        long found = 0;
        for (int cell = 0; cell < Chunk.SIZE; cell++) {
            TimerNode node = chunk.nodes[cell];
            if (node != null) {
                check(cell >= chunk.first && cell < chunk.end, "a node must be in a used cell");
                check(node.position == chunk.base + cell, "a node must know its position");
                check(wheel.chunks.chunkOf(node) == chunk, "the table must know the chunk");
                found++;
            }
        }
        check(found == chunk.count, "the count of a chunk must be right");
        check(found > 0 || (chunk.previous == null && chunk.next == null), "no chunk but a lone one may be empty");
        return found;
    }

    private static void check(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError(rule);
        }
    }
}
