package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.util.StringUtils;

/**
 * The starts of all tasks that have the same cron, which is gone through once for them. A cron of each hour or minute
 * is asked for no more than that: its starts repeat then, also where clocks change by whole hours. One thread.
 */
final class CronStarts {

    /** In place of the start that a task waits for, if it waits for none. */
    static final long NONE = Long.MIN_VALUE;

    private static final int STARTS_BETWEEN_LOOKS = 32;

    private static final int FIELDS = 6;
    private static final int MINUTES = 1;
    private static final int HOURS = 2;

    private final TriggerTimes times;

    /** After which starts repeat; 0 if that is not known. */
    private long periodNanos;

    /** The number of starts in a period; 0 until it is known. */
    private int inPeriod;

    final List<Member> members = new ArrayList<>();

    /** The last start that has been computed, or the instant before the first one. */
    private Instant last;

    /** Since the epoch, in nanoseconds. */
    private long[] starts = new long[16];

    private int count;
    private boolean isThrough;

    /**
     * A task.
     *
     * @param firstNanos its first start, which may be postponed, or later than the cron for another reason
     * @param line where its starts are counted; null if only all of them are wanted
     */
    record Member(TaskSeries task, long firstNanos, DaySearch.@Nullable Line line) {

        boolean hasJitter() {
            return task.settings().jitter() != null;
        }
    }

    /**
     * Creates one without tasks.
     *
     * @param times of the cron
     * @param after starts are counted after that instant
     */
    CronStarts(TriggerTimes times, Instant after) {
        this.times = times;
        this.last = after;
        this.periodNanos = times.trigger instanceof CronTrigger cron ? periodNanosOf(cron.getExpression()) : 0;
    }

    private static long periodNanosOf(String expression) {
        List<String> fields = List.of(StringUtils.tokenizeToStringArray(expression, " "));
        if (fields.size() != FIELDS || !fields.subList(HOURS, FIELDS).stream().allMatch(CronStarts::isAny)) {
            return 0;
        }
        return (isAny(fields.get(MINUTES)) ? TimeUnit.MINUTES : TimeUnit.HOURS).toNanos(1);
    }

    private static boolean isAny(String field) {
        return field.equals("*") || field.equals("?");
    }

    /** Adds starts before the end, until the given number is reached, or the time is up. */
    void goOn(int most, long endNanos, BooleanSupplier isTimeUp) {
        while (!isThrough && count < most) {
            if (count % STARTS_BETWEEN_LOOKS == 0 && isTimeUp.getAsBoolean()) {
                return;
            }
            if (inPeriod > 0) {
                repeat(most, endNanos);
            } else {
                ask(endNanos);
            }
        }
    }

    private void ask(long endNanos) {
        Instant next = times.following(last);
        long nextNanos = next == null ? endNanos : EpochNanos.of(next);
        if (nextNanos >= endNanos) {
            isThrough = true;
            return;
        }
        add(nextNanos);
        last = Objects.requireNonNull(next);
        if (periodNanos > 0 && nextNanos - starts[0] >= periodNanos) {
            inPeriod = nextNanos - starts[0] == periodNanos ? count - 1 : 0;
            periodNanos = inPeriod == 0 ? 0 : periodNanos;
        }
    }

    /**
     * Names starts as they were a period before, and asks whether the last one is right; else nothing is changed, and
     * all are asked for.
     */
    private void repeat(int most, long endNanos) {
        int asked = count;
        while (count < most && !isThrough) {
            long nextNanos = starts[count - inPeriod] + periodNanos;
            if (nextNanos >= endNanos) {
                isThrough = true;
            } else {
                add(nextNanos);
            }
        }
        if (count > asked) {
            Instant following = times.following(EpochNanos.toInstant(starts[count - 2]));
            if (following == null || EpochNanos.of(following) != starts[count - 1]) {
                count = asked;
                isThrough = false;
                inPeriod = 0;
                periodNanos = 0;
            } else {
                last = following;
            }
        }
    }

    private void add(long nanos) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
        }
        starts[count++] = nanos;
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

    /** Returns the number of the start in that second; -1 if there is none. */
    int placeIn(long second) {
        int place = indexAfter(StartCollisions.nanosOf(second + 1) - 1) - 1;
        return place >= 0 && StartCollisions.secondOf(starts[place]) == second ? place : -1;
    }

    /** Whether a task takes part in that start, and does so at once. */
    boolean isIn(int place, Member member) {
        return place >= begin(member) && !member.hasJitter();
    }

    /** Returns the first start that the task takes part in. */
    int begin(Member member) {
        int after = indexAfter(member.firstNanos);
        return isAmong(member, after) ? after - 1 : after;
    }

    /** Whether the first start of the task is none of these, as it was postponed or is late. */
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
