package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The starts of all tasks that have the same cron, which is gone through once for them. One thread. */
final class CronStarts {

    /** In place of the start that a task waits for, if it waits for none. */
    static final long NONE = Long.MIN_VALUE;

    private static final int STARTS_BETWEEN_LOOKS = 32;

    private final TriggerTimes times;
    final List<Member> members = new ArrayList<>();

    /** The last one that has been named, or what the first one comes after. */
    private Instant last;

    /** Since the epoch, in nanoseconds. */
    private long[] starts = new long[16];

    private int count;
    private boolean isThrough;

    /**
     * A task.
     *
     * @param firstNanos when it starts first, which may be put off, or later than the cron says for another reason
     * @param line where its starts are counted; null if only all of them are wanted
     */
    record Member(TaskSeries task, long firstNanos, DaySearch.@Nullable Line line) {

        boolean hasJitter() {
            return task.settings().jitter() != null;
        }
    }

    /**
     * Makes one without tasks.
     *
     * @param times of the cron
     * @param after starts are counted after that instant
     */
    CronStarts(TriggerTimes times, Instant after) {
        this.times = times;
        this.last = after;
    }

    /** Names starts before the end, until there are so many, or the time is up. */
    void goOn(int most, long endNanos, BooleanSupplier isTimeUp) {
        while (!isThrough && count < most) {
            if (count % STARTS_BETWEEN_LOOKS == 0 && isTimeUp.getAsBoolean()) {
                return;
            }
            Instant next = times.following(last);
            long nextNanos = next == null ? endNanos : EpochNanos.of(next);
            if (nextNanos >= endNanos) {
                isThrough = true;
                return;
            }
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count);
            }
            starts[count++] = nextNanos;
            last = Objects.requireNonNull(next);
        }
    }

    /** Whether there may be more starts than have been named. */
    boolean isCut() {
        return !isThrough;
    }

    int count() {
        return count;
    }

    long start(int index) {
        return starts[index];
    }

    /** Does something with each start from that one on. */
    void forEach(int begin, LongConsumer action) {
        for (int i = begin; i < count; i++) {
            action.accept(starts[i]);
        }
    }

    /** Whether a task starts in that second by its cron, and not somewhat later. */
    boolean isIn(long second, Member member) {
        int place = indexAfter(StartsTogether.nanosOf(second + 1) - 1) - 1;
        return place >= begin(member) && StartsTogether.secondOf(starts[place]) == second && !member.hasJitter();
    }

    /** Returns the first start that the task takes part in. */
    int begin(Member member) {
        int after = indexAfter(member.firstNanos);
        return isAmong(member, after) ? after - 1 : after;
    }

    /** Whether the first start of the task is none of these, as it has been put off, or is late. */
    boolean startsApart(Member member) {
        return member.firstNanos != NONE && !isAmong(member, indexAfter(member.firstNanos));
    }

    private boolean isAmong(Member member, int after) {
        return after > 0 && starts[after - 1] == member.firstNanos;
    }

    /** Returns how many starts are no later. */
    private int indexAfter(long nanos) {
        int found = Arrays.binarySearch(starts, 0, count, nanos);
        return found >= 0 ? found + 1 : -found - 1;
    }
}
