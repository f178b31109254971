package io.github.wheelscheduler.spring.task;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * The expected number of starts of tasks within 24 hours, by their schedules. Rates are counted by arithmetic, fixed
 * delays as if each run took as long as the last one. Crons are evaluated one by one, up to a bound. Tasks that are
 * paused, disabled or over do not start.
 *
 * @param from the begin of the first slot
 * @param slot the length of each slot
 * @param totals the starts in each slot
 * @param together the seconds in which most crons and one-time tasks start, two at least, most first; tasks with a
 *     jitter do not count here
 * @param lines the requested tasks
 * @param untold the number of tasks that follow a trigger of the user's own, of which only the next start is known
 * @param cut whether not all starts were counted, as they are too many for a cron, or for one answer
 */
public record TaskDay(
        Instant from,
        Duration slot,
        List<Long> totals,
        List<Together> together,
        List<Line> lines,
        int untold,
        boolean cut) {

    /**
     * A second in which several tasks start.
     *
     * @param count the number of tasks
     * @param ids of some of them
     */
    public record Together(Instant at, int count, List<String> ids) {}

    /**
     * The starts of one task.
     *
     * @param scheduler the name of its scheduler
     * @param slots starts by slot, where there are any
     * @param cut whether not all were counted
     */
    public record Line(String scheduler, String id, SortedMap<Integer, Long> slots, boolean cut) {}
}
