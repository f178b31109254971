package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.TaskDay;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The number of runs that start in the next 24 hours, in slots of equal length.
 *
 * @param from begin of the first slot
 * @param slot the length of each slot
 * @param totals the number of runs that start in each slot
 * @param together the seconds in which the most tasks start that have a time of their own
 * @param tasks the tasks of the page
 * @param untold the number of tasks of whose triggers only the next run is known
 * @param cut whether counting took too long, so that some are left out
 */
public record DayDescriptor(
        Instant from,
        Duration slot,
        List<Long> totals,
        List<Together> together,
        List<Line> tasks,
        int untold,
        boolean cut) {

    static DayDescriptor of(TaskDay day) {
        return new DayDescriptor(
                day.from(),
                day.slot(),
                day.totals(),
                day.together().stream()
                        .map(one -> new Together(one.at(), one.count(), one.ids()))
                        .toList(),
                day.lines().stream()
                        .map(line -> new Line(
                                line.id(),
                                line.scheduler(),
                                line.slots().entrySet().stream()
                                        .map(slot -> List.of(slot.getKey().longValue(), slot.getValue()))
                                        .toList(),
                                line.cut()))
                        .toList(),
                day.untold(),
                day.cut());
    }

    /**
     * Tasks that start in the same second.
     *
     * @param count the number of tasks
     * @param ids of some of them
     */
    public record Together(Instant at, int count, List<String> ids) {}

    /**
     * The runs of one task.
     *
     * @param slots pairs of the index of a slot and the number of runs that start in it; slots without runs are absent
     * @param cut whether runs are left out
     */
    public record Line(String id, String scheduler, List<List<Long>> slots, boolean cut) {}
}
