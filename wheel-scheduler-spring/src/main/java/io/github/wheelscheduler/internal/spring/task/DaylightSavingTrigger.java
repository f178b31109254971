package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.Overlap;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringUtils;

/**
 * The instants of a cron whose hours are fixed, in a zone whose clocks change, by policies for when they do. Any
 * thread.
 */
public record DaylightSavingTrigger(CronExpression cron, ZoneId zone, Gap gap, Overlap overlap) implements Trigger {

    /*
     * Between two changes of the clocks, the offset is one, and a cron is asked for times of day as if there were no
     * changes. At the borders:
     *
     *      gap       the times that do not exist are, by the offset before, those right after the change:
     *                there they run if shifted
     *      overlap   the times that come twice are the last ones by the offset before,
     *                and the first ones by the offset after
     */

    /** More changes of clocks than there are until the cron gives up. */
    private static final int MOST_CHANGES = 1_000;

    private static final int HOURS = 2;

    public DaylightSavingTrigger(String expression, ZoneId zone, Gap gap, Overlap overlap) {
        this(CronExpression.parse(expression), zone, gap, overlap);
    }

    /** Whether the hours are given by number; others run through when clocks change. */
    public static boolean hasFixedHours(String expression) {
        String[] fields = StringUtils.tokenizeToStringArray(
                CronExpression.parse(expression).toString(), " ");
        return !fields[HOURS].startsWith("*") && !fields[HOURS].startsWith("0-23");
    }

    @Override
    public @Nullable Instant nextExecution(TriggerContext context) {
        Instant last = context.lastCompletion();
        Instant scheduled = context.lastScheduledExecution();
        if (last == null) {
            return next(context.getClock().instant());
        }
        return next(scheduled != null && scheduled.isAfter(last) ? scheduled : last);
    }

    /** Returns the first instant after that one; null if there is none. */
    @Nullable
    Instant next(Instant after) {
        ZoneRules rules = zone.getRules();
        Instant from = after;
        ZoneOffset offset = rules.getOffset(after);
        // That whose first instant is not after it.
        ZoneOffsetTransition begin = rules.previousTransition(after.plusNanos(1));
        ZoneOffsetTransition end = rules.nextTransition(after);
        for (int i = 0; i < MOST_CHANGES; i++) {
            Instant next = earlier(nextShifted(from, begin), nextBetween(from, offset, begin, end));
            if (next != null || end == null) {
                return next;
            }
            // The instant of the change itself belongs to the time after it.
            from = end.getInstant().minusNanos(1);
            offset = end.getOffsetAfter();
            begin = end;
            end = rules.nextTransition(end.getInstant());
        }
        return null;
    }

    private @Nullable Instant nextBetween(
            Instant after,
            ZoneOffset offset,
            @Nullable ZoneOffsetTransition begin,
            @Nullable ZoneOffsetTransition end) {
        LocalDateTime from = LocalDateTime.ofInstant(after, offset);
        if (begin != null
                && begin.isOverlap()
                && overlap == Overlap.FIRST
                && from.isBefore(begin.getDateTimeBefore())) {
            from = begin.getDateTimeBefore().minusNanos(1);
        }
        LocalDateTime next = cron.next(from);
        if (next == null || (end != null && !next.toInstant(offset).isBefore(end.getInstant()))) {
            return null;
        }
        boolean isForLater =
                end != null && end.isOverlap() && overlap == Overlap.SECOND && !next.isBefore(end.getDateTimeAfter());
        return isForLater ? null : next.toInstant(offset);
    }

    /** Returns the first time that does not exist, right after clocks went forward. */
    private @Nullable Instant nextShifted(Instant after, @Nullable ZoneOffsetTransition begin) {
        if (gap != Gap.SHIFT || begin == null || !begin.isGap()) {
            return null;
        }
        LocalDateTime next = cron.next(LocalDateTime.ofInstant(after, begin.getOffsetBefore()));
        return next == null || !next.isBefore(begin.getDateTimeAfter())
                ? null
                : next.toInstant(begin.getOffsetBefore());
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }

    @Override
    public String toString() {
        return cron + " in " + zone;
    }
}
