package io.github.wheelscheduler.internal.wheel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** All chunks of a wheel by their index, from which a timer's position says where the timer is. */
final class ChunkTable {

    /** The number of chunks that are kept for reuse; the others become garbage. */
    private static final int MAX_SPARE = 16;

    private @Nullable Chunk[] chunks;

    /** Indices that were in use and are free. */
    private int[] freeIndices = new int[16];

    private int freeCount;

    /** Position 0 belongs to no chunk: it says that a timer is nowhere. */
    private int nextIndex = 1;

    /** Linked through {@link Chunk#next}. */
    private @Nullable Chunk spare;

    private int spareCount;

    /** The number of chunks that buckets hold. */
    int inUse;

    /** Is asked before the wheel allocates anything, and throws where tests want memory to run out. */
    private final Runnable beforeAllocation;

    ChunkTable(Runnable beforeAllocation) {
        this.chunks = new Chunk[16];
        this.beforeAllocation = beforeAllocation;
    }

    Level newLevel(int index) {
        beforeAllocation.run();
        return new Level(this, index);
    }

    /** Returns an empty chunk. Without memory for it nothing changes. */
    Chunk take() {
        Chunk chunk = spare;
        if (chunk != null) {
            spare = chunk.next;
            spareCount--;
            chunk.next = null;
            inUse++;
            return chunk;
        }
        int index = freeCount > 0 ? freeIndices[freeCount - 1] : nextIndex;
        if (index == chunks.length) {
            beforeAllocation.run();
            chunks = Arrays.copyOf(chunks, 2 * index);
        }
        beforeAllocation.run();
        chunk = new Chunk(index);
        chunks[index] = chunk;
        // Nothing is changed before memory has been found for it.
        if (freeCount > 0) {
            freeCount--;
        } else {
            nextIndex++;
        }
        inUse++;
        return chunk;
    }

    /** Takes an empty chunk back. */
    void release(Chunk chunk) {
        inUse--;
        chunk.releases++;
        chunk.reset();
        chunk.bucket = null;
        chunk.previous = null;
        chunk.next = null;
        if (spareCount < MAX_SPARE) {
            chunk.next = spare;
            spare = chunk;
            spareCount++;
            return;
        }
        int index = Chunk.indexOf(chunk.base);
        chunks[index] = null;
        if (freeCount < freeIndices.length || growFreeIndices()) {
            freeIndices[freeCount++] = index;
        }
    }

    /** Makes room for more; without memory for it, an index is never used again, and nothing else happens. */
    private boolean growFreeIndices() {
        try {
            beforeAllocation.run();
            freeIndices = Arrays.copyOf(freeIndices, 2 * freeCount);
            return true;
        } catch (OutOfMemoryError ex) {
            return false;
        }
    }

    /** Returns the chunk with the cell that holds the timer, or null if none here does. */
    @Nullable
    Chunk chunkOf(TimerNode node) {
        int index = Chunk.indexOf(node.position);
        Chunk chunk = index < chunks.length ? chunks[index] : null;
        return chunk != null && chunk.nodes[Chunk.cellOf(node.position)] == node ? chunk : null;
    }
}
