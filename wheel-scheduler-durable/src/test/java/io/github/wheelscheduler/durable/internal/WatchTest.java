package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.internal.NodeLife.Watch;
import io.github.wheelscheduler.durable.internal.NodeTable.NodeRow;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A node is dead when its beat has stayed the same for long enough while the database answered, and for no other
 * reason.
 */
class WatchTest {

    private static final long SECOND = 1_000_000_000L;

    private final Watch watch = new Watch(6 * SECOND, 3 * SECOND / 2);

    private static List<NodeRow> beats(long... beats) {
        return java.util.stream.IntStream.range(0, beats.length)
                .mapToObj(i -> new NodeRow(i + 1, "n" + i, NodeTable.ALIVE, beats[i], Instant.EPOCH, 0, -1))
                .toList();
    }

    /** Looks each second until then; the first node beats, the other does not. */
    private List<Long> deadAt(long fromSecond, long toSecond) {
        List<NodeRow> dead = List.of();
        for (long second = fromSecond; second <= toSecond; second++) {
            dead = watch.dead(beats(second, 1), second * SECOND);
        }
        return dead.stream().map(NodeRow::incarnation).toList();
    }

    @Test
    void nodeIsDeadWhenItsBeatHasStayedTheSameForLongEnough() {
        assertThat(deadAt(0, 5)).isEmpty();
        assertThat(deadAt(6, 6)).containsExactly(2L);
    }

    @Test
    void beatThatChangesIsALife() {
        assertThat(deadAt(0, 5)).isEmpty();
        assertThat(watch.dead(beats(6, 2), 6 * SECOND)).isEmpty();
        assertThat(watch.dead(beats(7, 2), 7 * SECOND)).isEmpty();
    }

    @Test
    void timeWithoutAnAnswerDoesNotCount() {
        assertThat(deadAt(0, 5)).isEmpty();
        // The database was away for a minute, or this process stood still.
        assertThat(deadAt(65, 65)).isEmpty();
        assertThat(deadAt(66, 66)).containsExactly(2L);
    }

    @Test
    void freshWatcherHasSeenNothing() {
        assertThat(watch.dead(beats(1, 1), Long.MAX_VALUE - SECOND)).isEmpty();
    }

    @Test
    void clockOfTheMachineMayRunOver() {
        long start = Long.MAX_VALUE - 2 * SECOND;
        List<NodeRow> dead = List.of();
        for (int second = 0; second <= 6; second++) {
            assertThat(dead).isEmpty();
            dead = watch.dead(beats(second, 1), start + second * SECOND);
        }
        assertThat(dead).extracting(NodeRow::incarnation).containsExactly(2L);
    }

    @Test
    void deadNodeIsNotFoundDeadAgain() {
        List<NodeRow> marked = List.of(new NodeRow(1, "n", NodeTable.DEAD, 1, Instant.EPOCH, 0, -1));
        for (int second = 0; second < 20; second++) {
            assertThat(watch.dead(marked, second * SECOND)).isEmpty();
        }
    }

    @Test
    void twinIsTellableOnlyWhileItLives() {
        List<NodeRow> first = List.of(
                new NodeRow(1, "n", NodeTable.ALIVE, 1, Instant.EPOCH, 0, -1),
                new NodeRow(2, "n", NodeTable.ALIVE, 1, Instant.EPOCH, 0, -1));
        List<NodeRow> later = List.of(
                new NodeRow(1, "n", NodeTable.ALIVE, 2, Instant.EPOCH, 0, -1),
                new NodeRow(2, "n", NodeTable.ALIVE, 1, Instant.EPOCH, 0, -1));
        List<NodeRow> both = List.of(
                new NodeRow(1, "n", NodeTable.ALIVE, 3, Instant.EPOCH, 0, -1),
                new NodeRow(2, "n", NodeTable.ALIVE, 2, Instant.EPOCH, 0, -1));
        assertThat(watch.dead(first, 0)).isEmpty();
        assertThat(watch.dead(later, SECOND)).isEmpty();
        assertThat(watch.hasNewTwin(later, 1, "n")).isFalse();
        assertThat(watch.dead(both, 2 * SECOND)).isEmpty();
        assertThat(watch.hasNewTwin(both, 1, "n")).isTrue();
        assertThat(watch.hasNewTwin(both, 1, "n")).isFalse();
    }
}
