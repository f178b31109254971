package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs that schedules say were missed while no node was up. A task is forgotten when it runs. Any thread.
 */
final class MissedAtStart {

    private final Map<Key, Missed> byTask = new ConcurrentHashMap<>();

    private record Key(String scheduler, String task) {}

    /** The number of missed runs of a task. */
    record Missed(@Nullable String scheduler, String task, long runs) {}

    void note(WheelTaskScheduler scheduler, String task, long runs) {
        Missed ignored = byTask.put(keyOf(scheduler, task), new Missed(scheduler.getBeanName(), task, runs));
    }

    void ran(WheelTaskScheduler scheduler, String task) {
        if (!byTask.isEmpty()) {
            Missed ignored = byTask.remove(keyOf(scheduler, task));
        }
    }

    private static Key keyOf(WheelTaskScheduler scheduler, String task) {
        return new Key(Objects.requireNonNullElse(scheduler.getBeanName(), ""), task);
    }

    List<Missed> all() {
        return List.copyOf(byTask.values());
    }
}
