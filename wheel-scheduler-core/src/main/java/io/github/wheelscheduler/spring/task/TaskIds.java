package io.github.wheelscheduler.spring.task;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Where to look for a free number, for tasks that have the same name. A hint: it may be wrong. Any thread. */
final class TaskIds {

    private final Map<String, AtomicInteger> lowestFree = new ConcurrentHashMap<>();

    int firstFree(String name) {
        AtomicInteger lowest = lowestFree.get(name);
        return lowest == null ? 1 : lowest.get();
    }

    void take(String name, int ordinal) {
        lowestFree.computeIfAbsent(name, unused -> new AtomicInteger()).set(ordinal + 1);
    }

    void free(TaskId id) {
        AtomicInteger lowest = id.isGiven() ? null : lowestFree.get(id.name());
        if (lowest != null && id.ordinal() == 1) {
            // It begins anew: names that nobody has any more must not be kept.
            boolean ignored = lowestFree.remove(id.name(), lowest);
        } else if (lowest != null) {
            lowest.updateAndGet(seen -> Math.min(seen, id.ordinal()));
        }
    }

    int size() {
        return lowestFree.size();
    }
}
