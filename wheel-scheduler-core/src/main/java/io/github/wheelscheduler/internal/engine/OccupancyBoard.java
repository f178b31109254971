package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the tick thread leaves word of how full the buckets are, when that has been asked for. Costs nothing else. */
final class OccupancyBoard {

    /** A newer one is not made before. */
    private static final long APART_NANOS = 1_000_000_000;

    /** Writers: any thread that asks, and the tick thread, which takes it back. */
    volatile boolean asked;

    /** Writer: tick thread. Readers: any. Volatile so that the counts arrive whole. */
    private volatile @Nullable Answer latest;

    /** The published counts. */
    private static final class Answer {

        private final long nanos;
        private final long due;
        private final long[][] counts;
        private final int[] hands;

        Answer(TimingWheel wheel, long nanos) {
            this.nanos = nanos;
            this.due = wheel.dueAndWaitingCount();
            this.counts = wheel.counts();
            this.hands = new int[counts.length];
            Arrays.setAll(hands, wheel::currentSlot);
        }
    }

    /** Asks for counts, unless there are new ones; whether the tick thread is to be woken for it. Any thread. */
    boolean ask(long nowNanos) {
        Answer seen = latest;
        if (asked || (seen != null && nowNanos - seen.nanos < APART_NANOS)) {
            return false;
        }
        asked = true;
        return true;
    }

    /**
     * Answers, if that has been asked for: reads one number for each bucket. Without memory for it, there is no answer.
     * Tick thread.
     */
    void answer(TimingWheel wheel, long nowNanos) {
        if (!asked) {
            return;
        }
        asked = false;
        try {
            latest = new Answer(wheel, nowNanos);
        } catch (OutOfMemoryError ex) {
            // It can be asked for again.
        }
    }

    /** Returns the last answer; null if there has been none. Any thread. */
    WheelSnapshot.@Nullable Occupancy look(long nowNanos, Duration tick) {
        Answer seen = latest;
        if (seen == null) {
            return null;
        }
        List<WheelSnapshot.LevelOccupancy> levels = new ArrayList<>();
        long ticks = 1;
        for (int index = 0; index < seen.counts.length; index++) {
            long[] counts = seen.counts[index];
            if (counts.length > 0) {
                levels.add(new WheelSnapshot.LevelOccupancy(
                        tick.multipliedBy(ticks),
                        seen.hands[index],
                        Arrays.stream(counts).boxed().toList()));
            }
            // Overflows after the last level alone.
            ticks *= TimingWheel.BUCKETS;
        }
        return new WheelSnapshot.Occupancy(
                Duration.ofNanos(Math.max(0, nowNanos - seen.nanos)), seen.due, List.copyOf(levels));
    }
}
