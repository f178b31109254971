package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chunks and their indices are used again, so that a wheel neither allocates nor grows for nothing. */
class ChunkTableTest {

    /** More than are spared, and more than the lists hold at first. */
    private static final int MANY = 200;

    private boolean isFull;
    private int allocations;
    private final ChunkTable table = new ChunkTable(() -> {
        if (isFull) {
            throw new OutOfMemoryError("on purpose");
        }
        allocations++;
    });

    private List<Chunk> take(int count) {
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(table.take());
        }
        return chunks;
    }

    private static List<Integer> bases(List<Chunk> chunks) {
        return chunks.stream().map(chunk -> chunk.base).toList();
    }

    @Test
    void fewChunksThatAreReleasedAreTakenAgainAsTheyAre() {
        List<Chunk> chunks = take(16);
        assertThat(table.inUse).isEqualTo(16);
        int before = allocations;
        for (int i = 0; i < 3; i++) {
            chunks.forEach(table::release);
            assertThat(table.inUse).isZero();
            assertThat(take(16)).containsExactlyInAnyOrderElementsOf(chunks);
        }
        assertThat(allocations).isEqualTo(before);
    }

    @Test
    void indicesAreUsedAgain() {
        List<Chunk> chunks = take(MANY);
        assertThat(bases(chunks)).doesNotHaveDuplicates().doesNotContain(0);
        for (int i = 0; i < 3; i++) {
            chunks.forEach(table::release);
            List<Chunk> next = take(MANY);
            assertThat(bases(next)).containsExactlyInAnyOrderElementsOf(bases(chunks));
            chunks = next;
        }
        assertThat(table.inUse).isEqualTo(MANY);
    }

    @Test
    void chunkIsFoundByItsTimersPositionWhileInUse() {
        List<Chunk> chunks = take(MANY);
        TimerNode node = new TestNode("timer", 0);
        Chunk last = chunks.get(MANY - 1);
        last.append(node);
        assertThat(table.chunkOf(node)).isSameAs(last);
        last.clearCell(Chunk.cellOf(node.position));
        assertThat(table.chunkOf(node)).isNull();
        chunks.forEach(table::release);
        assertThat(table.chunkOf(node)).isNull();
    }

    @Test
    void positionThatNoChunkHasEverHadIsNowhere() {
        TimerNode node = new TestNode("timer of another wheel", 0);
        for (int index = 0; index < 100; index++) {
            node.position = index << Chunk.BITS;
            assertThat(table.chunkOf(node)).isNull();
        }
    }

    @Test
    void chunksAreTakenBackWithoutMemoryForTheirIndices() {
        List<Chunk> chunks = take(MANY);
        isFull = true;
        chunks.forEach(table::release);
        assertThat(table.inUse).isZero();
        assertThat(take(16)).hasSize(16);
        assertThatThrownBy(table::take).isInstanceOf(OutOfMemoryError.class);
        assertThat(table.inUse).isEqualTo(16);
        isFull = false;
        assertThat(bases(take(2 * MANY))).doesNotHaveDuplicates();
        assertThat(table.inUse).isEqualTo(2 * MANY + 16);
    }
}
