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
final class StartCollisions {

    private static final int MOST_SECONDS = 10;
    private static final int MOST_IDS = 10;

    private final long firstSecond;

    /** By the second after the first. */
    private final int[] counts;

    /** The ids of one-time tasks, by the second since the epoch. */
    private final Map<Long, List<String>> once = new HashMap<>();

    /** Creates one for starts between two times since the epoch, which are at most some days apart. */
    StartCollisions(long fromNanos, long endNanos) {
        this.firstSecond = secondOf(fromNanos);
        this.counts = new int[Math.toIntExact(secondOf(endNanos) - firstSecond) + 1];
    }

    static long secondOf(long nanos) {
        return Math.floorDiv(nanos, TimeUnit.SECONDS.toNanos(1));
    }

    static long nanosOf(long second) {
        return TimeUnit.SECONDS.toNanos(second);
    }

    void addOnce(long nanos, String id) {
        count(nanos, 1);
        List<String> ids = once.computeIfAbsent(secondOf(nanos), unused -> new ArrayList<>(1));
        if (ids.size() < MOST_IDS) {
            boolean unusedAnswer = ids.add(id);
        }
    }

    private void count(long nanos, int tasks) {
        counts[(int) (secondOf(nanos) - firstSecond)] += tasks;
    }

    /** Returns the seconds in which more than one task starts, those with most first. To be called once. */
    List<TaskDay.Together> most(List<CronStarts> crons) {
        crons.forEach(this::add);
        Comparator<Integer> order =
                Comparator.<Integer>comparingInt(second -> -counts[second]).thenComparing(Comparator.naturalOrder());
        PriorityQueue<Integer> kept = new PriorityQueue<>(order.reversed());
        for (int i = 0; i < counts.length; i++) {
            boolean isFull = kept.size() == MOST_SECONDS;
            // The first of equals stays.
            if (counts[i] > (isFull ? counts[kept.element()] : 1)) {
                if (isFull) {
                    Integer ignored = kept.remove();
                }
                boolean unused = kept.add(i);
            }
        }
        return kept.stream()
                .sorted(order)
                .map(one -> together(firstSecond + one, counts[one], crons))
                .toList();
    }

    private TaskDay.Together together(long second, int count, List<CronStarts> crons) {
        return new TaskDay.Together(Instant.ofEpochSecond(second), count, idsOf(second, crons));
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
                count(cron.start(i), tasks);
            }
        }
    }

    private List<String> idsOf(long second, List<CronStarts> crons) {
        List<String> ids = new ArrayList<>(once.getOrDefault(second, List.of()));
        for (CronStarts cron : crons) {
            int place = cron.placeIn(second);
            for (CronStarts.Member member : place < 0 ? List.<CronStarts.Member>of() : cron.members) {
                if (ids.size() == MOST_IDS) {
                    return ids;
                }
                if (cron.isIn(place, member)) {
                    boolean ignored = ids.add(member.task().id());
                }
            }
        }
        return ids;
    }
}
