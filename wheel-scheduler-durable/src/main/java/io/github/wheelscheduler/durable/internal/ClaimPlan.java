package io.github.wheelscheduler.durable.internal;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A plan of the tasks that a node can be expected to start soon. It simulates the workers: whenever a worker is free,
 * the handler whose turn was longest ago takes it, and the worker is busy for the usual duration of runs of that
 * handler.
 */
final class ClaimPlan {

    /** Runs take some time, or there would be no end of them. */
    private static final long SHORTEST_NANOS = 1_000;

    private ClaimPlan() {}

    /**
     * The tasks of one handler.
     *
     * @param lastTurn orders handlers: the least has the next turn
     * @param usualNanos the usual duration of a run
     * @param count the number of tasks
     */
    record Work(String handler, long lastTurn, long usualNanos, int count) {}

    /**
     * Returns how many tasks of each handler start within some time; handlers of which none does are left out.
     *
     * @param freeInNanos when each worker is free that is counted on, from now
     */
    static Map<String, Integer> starts(List<Long> freeInNanos, List<Work> works, long withinNanos) {
        PriorityQueue<Long> workers = new PriorityQueue<>(freeInNanos);
        Deque<Work> turns = new ArrayDeque<>(works.stream()
                .filter(work -> work.count() > 0)
                .sorted(Comparator.comparingLong(Work::lastTurn))
                .toList());
        Map<String, Integer> starts = new HashMap<>();
        while (!turns.isEmpty() && !workers.isEmpty() && workers.peek() < withinNanos) {
            Work work = turns.remove();
            int started = starts.merge(work.handler(), 1, Integer::sum);
            workers.add(workers.remove() + Math.max(SHORTEST_NANOS, work.usualNanos()));
            if (started < work.count()) {
                turns.add(work);
            }
        }
        return starts;
    }
}
