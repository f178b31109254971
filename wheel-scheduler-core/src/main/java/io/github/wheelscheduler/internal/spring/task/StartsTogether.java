package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskDay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Finds the seconds in which most crons and one-time tasks start. One thread. */
final class StartsTogether {

    private static final int MOST_SECONDS = 10;
    private static final int MOST_IDS = 10;

    /** By the second since the epoch. */
    private final Map<Long, Integer> counts = new HashMap<>();

    /** The ids of one-time tasks, as above. */
    private final Map<Long, List<String>> once = new HashMap<>();

    static long secondOf(long nanos) {
        return Math.floorDiv(nanos, TimeUnit.SECONDS.toNanos(1));
    }

    static long nanosOf(long second) {
        return TimeUnit.SECONDS.toNanos(second);
    }

    void addOnce(long nanos, String id) {
        int ignored = counts.merge(secondOf(nanos), 1, Integer::sum);
        List<String> ids = once.computeIfAbsent(secondOf(nanos), unused -> new ArrayList<>(1));
        if (ids.size() < MOST_IDS) {
            boolean unusedAnswer = ids.add(id);
        }
    }

    /** Returns the seconds in which more than one task starts, those with most first. To be called once. */
    List<TaskDay.Together> most(List<CronStarts> crons) {
        crons.forEach(this::add);
        Comparator<Map.Entry<Long, Integer>> order =
                Map.Entry.<Long, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey());
        PriorityQueue<Map.Entry<Long, Integer>> kept = new PriorityQueue<>(order.reversed());
        for (Map.Entry<Long, Integer> one : counts.entrySet()) {
            if (one.getValue() > 1) {
                boolean ignored = kept.add(one);
                if (kept.size() > MOST_SECONDS) {
                    Map.Entry<Long, Integer> unused = kept.remove();
                }
            }
        }
        return kept.stream()
                .sorted(order)
                .map(one -> new TaskDay.Together(
                        Instant.ofEpochSecond(one.getKey()), one.getValue(), idsOf(one.getKey(), crons)))
                .toList();
    }

    private void add(CronStarts cron) {
        int[] joining = new int[cron.count() + 1];
        for (CronStarts.Member member : cron.members) {
            if (!member.hasJitter()) {
                joining[cron.begin(member)]++;
            }
        }
        int tasks = 0;
        for (int i = 0; i < cron.count(); i++) {
            tasks += joining[i];
            if (tasks > 0) {
                int ignored = counts.merge(secondOf(cron.start(i)), tasks, Integer::sum);
            }
        }
    }

    private List<String> idsOf(long second, List<CronStarts> crons) {
        List<String> ids = new ArrayList<>(once.getOrDefault(second, List.of()));
        for (CronStarts cron : crons) {
            for (CronStarts.Member member : cron.members) {
                if (ids.size() == MOST_IDS) {
                    return ids;
                }
                if (cron.isIn(second, member)) {
                    boolean ignored = ids.add(member.task().id());
                }
            }
        }
        return ids;
    }
}
