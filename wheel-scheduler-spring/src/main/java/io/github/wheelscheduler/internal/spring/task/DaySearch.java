package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskDay;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts how often tasks start in each slot of a day. It first counts all tasks whose starts follow from arithmetic. It
 * then evaluates each distinct cron once for all its tasks: a few starts of each, and then more, until the time is used
 * up. One thread.
 */
public final class DaySearch {

    private static final Duration SLOT = Duration.ofMinutes(5);
    private static final int SLOTS = (int) (Duration.ofDays(1).toNanos() / SLOT.toNanos());
    private static final long SLOT_NANOS = SLOT.toNanos();

    private static final int[] STARTS_OF_A_CRON = {300, 10_000};
    private static final int TASKS_BETWEEN_LOOKS = 64;

    private final List<TaskSearch.Room> rooms;
    private final TaskFilter filter;
    private final BooleanSupplier isTimeUp;
    private final Instant from;
    private final long fromNanos;
    private final long endNanos;

    private final long[] totals = new long[SLOTS];
    private final Map<String, Map<String, Line>> lines = new LinkedHashMap<>();
    private final List<CronStarts> crons = new ArrayList<>();
    private final StartCollisions together;
    private int untold;
    private boolean cut;

    /** The counts for one task. */
    static final class Line {

        private final long[] slots = new long[SLOTS];
        private boolean found;
        private boolean cut;
    }

    /**
     * Makes one.
     *
     * @param shown ids, by names of rooms, of which starts are wanted for each alone
     * @param isTimeUp whether to stop; is asked now and then
     */
    public DaySearch(
            List<TaskSearch.Room> rooms,
            TaskQuery query,
            Instant from,
            Map<String, ? extends Collection<String>> shown,
            BooleanSupplier isTimeUp) {
        this.rooms = rooms;
        this.filter = new TaskFilter(query);
        this.isTimeUp = isTimeUp;
        this.from = from;
        this.fromNanos = EpochNanos.of(from);
        this.endNanos = fromNanos + SLOTS * SLOT_NANOS;
        this.together = new StartCollisions(fromNanos, endNanos);
        shown.forEach((room, ids) -> {
            Map<String, Line> ofRoom = new LinkedHashMap<>();
            ids.forEach(id -> ofRoom.put(id, new Line()));
            lines.put(room, ofRoom);
        });
    }

    /** Counts. To be called once. */
    public TaskDay day() {
        boolean isSeen = rooms.stream().allMatch(this::look);
        cut = !isSeen;
        for (int most : STARTS_OF_A_CRON) {
            crons.forEach(cron -> cron.goOn(most, endNanos, isTimeUp));
        }
        crons.forEach(this::count);
        List<TaskDay.Line> shown = new ArrayList<>();
        lines.forEach((room, ofRoom) -> ofRoom.forEach((id, line) -> {
            if (line.found || !isSeen) {
                addTo(totals, line.slots);
                shown.add(new TaskDay.Line(room, id, shown(line.slots), line.cut || !line.found));
            }
        }));
        return new TaskDay(
                from,
                SLOT,
                Arrays.stream(totals).boxed().toList(),
                together.most(crons),
                List.copyOf(shown),
                untold,
                cut);
    }

    /** Looks at the tasks of a room; false if there was no time for all of them. */
    private boolean look(TaskSearch.Room room) {
        Clock clock = room.book().timers.clock();
        Instant now = clock.instant();
        Map<TaskSchedule, CronStarts> known = new HashMap<>();
        Map<String, Line> wanted = lines.getOrDefault(room.name(), Map.of());
        int untilLook = TASKS_BETWEEN_LOOKS;
        for (TaskSeries task : room.book().tasks()) {
            if (--untilLook == 0) {
                untilLook = TASKS_BETWEEN_LOOKS;
                if (isTimeUp.getAsBoolean()) {
                    return false;
                }
            }
            if (filter.isFound(new SearchedTask(task, room.look(), task.nanoTime()))) {
                Line line = wanted.isEmpty() ? null : wanted.get(task.id());
                if (line != null) {
                    line.found = true;
                }
                ScheduledFuture<?> timer = task.timer;
                if (timer != null && !task.isDone() && !task.isDisabled() && !task.isPaused()) {
                    look(task, timer, now, clock, line, known);
                }
            }
        }
        return true;
    }

    private void look(
            TaskSeries task,
            ScheduledFuture<?> timer,
            Instant now,
            Clock clock,
            @Nullable Line line,
            Map<TaskSchedule, CronStarts> known) {
        TaskSchedule schedule = task.schedule();
        Instant due = Upcoming.due(task, timer, now);
        boolean isToCome = Upcoming.isToCome(task, due, now);
        // Late tasks start now.
        long nowNanos = EpochNanos.of(now);
        long firstNanos = isToCome ? Math.max(nowNanos, EpochNanos.of(due)) : CronStarts.NONE;
        if (Upcoming.isKnownCron(schedule)) {
            CronStarts cron = known.computeIfAbsent(schedule, unused -> {
                Instant before = from.minusNanos(1);
                CronStarts made = new CronStarts(Upcoming.timesOf(schedule, clock), now.isAfter(before) ? now : before);
                crons.add(made);
                return made;
            });
            boolean ignored = cron.members.add(new CronStarts.Member(task, firstNanos, line));
            return;
        }
        long[] slots = line == null ? totals : line.slots;
        if (firstNanos != CronStarts.NONE) {
            addStart(slots, firstNanos);
        }
        if (!schedule.isRepeating()) {
            boolean isOnTime = task.settings().jitter() == null;
            if (isOnTime && firstNanos >= fromNanos && firstNanos < endNanos) {
                together.addOnce(firstNanos, task.id());
            }
            return;
        }
        long afterNanos = isToCome ? firstNanos : nowNanos;
        Duration period = Upcoming.of(schedule, clock).period();
        long delayNanos = schedule.countsFromEnd() ? fromStartToStartNanos(task, schedule.intervalAfter(now)) : 0;
        if (period != null) {
            long periodNanos = period.toNanos();
            long sinceNanos = Math.floorMod(afterNanos - EpochNanos.of(due), periodNanos);
            addSeries(slots, afterNanos, periodNanos - sinceNanos, periodNanos);
        } else if (delayNanos > 0) {
            addSeries(slots, afterNanos, delayNanos, delayNanos);
        } else {
            untold++;
        }
    }

    /** Returns the delay after a run that takes as long as the last one, with that run; 0 if that is not known. */
    private static long fromStartToStartNanos(TaskSeries task, @Nullable Duration delay) {
        List<RunOutcome> recent = task.guard().seen().recent();
        long runNanos = recent.isEmpty() ? 0 : recent.get(0).duration().toNanos();
        // Each may be as long as all time.
        return delay == null ? 0 : Math.min(TimeUnit.NANOSECONDS.convert(delay), Long.MAX_VALUE - runNanos) + runNanos;
    }

    // Counting

    private void count(CronStarts cron) {
        cut |= cron.isCut();
        int usual = 0;
        for (CronStarts.Member member : cron.members) {
            Line line = member.line();
            if (line != null) {
                line.cut = cron.isCut();
            }
            int begin = cron.begin(member);
            boolean startsApart = cron.startsApart(member);
            if (begin == 0 && !startsApart && line == null) {
                usual++;
                continue;
            }
            long[] slots = line == null ? totals : line.slots;
            cron.forEach(begin, start -> addStart(slots, start));
            if (startsApart) {
                addStart(slots, member.firstNanos());
            }
        }
        int times = usual;
        if (times > 0) {
            cron.forEach(0, start -> addStarts(totals, start, times));
        }
    }

    private static void addTo(long[] slots, long[] others) {
        for (int i = 0; i < SLOTS; i++) {
            slots[i] += others[i];
        }
    }

    private void addStart(long[] slots, long atNanos) {
        addStarts(slots, atNanos, 1);
    }

    private void addStarts(long[] slots, long atNanos, int times) {
        if (atNanos >= fromNanos && atNanos < endNanos) {
            slots[slotOf(atNanos)] += times;
        }
    }

    private int slotOf(long atNanos) {
        return (int) ((atNanos - fromNanos) / SLOT_NANOS);
    }

    /** Counts starts that are a period apart, the first of them a given time after an instant. */
    private void addSeries(long[] slots, long afterNanos, long firstInNanos, long periodNanos) {
        if (afterNanos >= endNanos || firstInNanos >= endNanos - afterNanos) {
            return;
        }
        long next = afterNanos + firstInNanos;
        if (next < fromNanos) {
            long sinceNanos = (fromNanos - next) % periodNanos;
            long inNanos = sinceNanos == 0 ? 0 : periodNanos - sinceNanos;
            if (inNanos >= endNanos - fromNanos) {
                return;
            }
            next = fromNanos + inNanos;
        }
        if (periodNanos <= SLOT_NANOS) {
            addFrequent(slots, next, periodNanos);
            return;
        }
        while (true) {
            slots[slotOf(next)]++;
            // Not past the end, where periods of centuries would be past the last number, too.
            if (periodNanos >= endNanos - next) {
                return;
            }
            next += periodNanos;
        }
    }

    /** Counts starts of which there is one at least in each slot that follows. */
    private void addFrequent(long[] slots, long firstNanos, long periodNanos) {
        long most = SLOT_NANOS / periodNanos + 1;
        int slot = slotOf(firstNanos);
        long beginNanos = firstNanos - fromNanos - slot * SLOT_NANOS;
        long inSlot = (SLOT_NANOS - 1 - beginNanos) / periodNanos + 1;
        while (true) {
            slots[slot] += inSlot;
            if (++slot == SLOTS) {
                return;
            }
            beginNanos += inSlot * periodNanos - SLOT_NANOS;
            // The last of them may be one too many.
            inSlot = beginNanos + (most - 1) * periodNanos < SLOT_NANOS ? most : most - 1;
        }
    }

    private static SortedMap<Integer, Long> shown(long[] slots) {
        SortedMap<Integer, Long> shown = new TreeMap<>();
        for (int i = 0; i < SLOTS; i++) {
            if (slots[i] > 0) {
                shown.put(i, slots[i]);
            }
        }
        return Collections.unmodifiableSortedMap(shown);
    }
}
