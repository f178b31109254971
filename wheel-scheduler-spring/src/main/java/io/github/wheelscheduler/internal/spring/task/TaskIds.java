package io.github.wheelscheduler.internal.spring.task;

import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Numbers for tasks that have the same name: always the lowest that is free, however they come and go. Any thread. */
final class TaskIds {

    private final Map<String, Numbers> namesakes = new ConcurrentHashMap<>();

    /** Takes the lowest free number of that name, from 1 on. */
    int take(String name) {
        int[] taken = new int[1];
        Numbers ignored = namesakes.compute(name, (unused, seen) -> {
            Numbers numbers = seen == null ? new Numbers() : seen;
            taken[0] = numbers.take();
            return numbers;
        });
        return taken[0];
    }

    /** Gives a number back. A name without any is forgotten. */
    void giveBack(TaskId id) {
        if (!id.isGiven()) {
            Numbers ignored =
                    namesakes.computeIfPresent(id.name(), (unused, seen) -> seen.giveBack(id.ordinal()) ? null : seen);
        }
    }

    int size() {
        return namesakes.size();
    }

    /** Those of one name. Used in atomic steps of the map only. */
    private static final class Numbers {

        private int inUse;

        /** Never used yet, like all above it. */
        private int next = 1;

        /** Used before. Null as long as there is none, as most names have one task. */
        private @Nullable PriorityQueue<Integer> freed;

        int take() {
            Integer lowest = freed == null ? null : freed.poll();
            inUse++;
            return lowest != null ? lowest : next++;
        }

        /** Says whether that was the last one. */
        boolean giveBack(int number) {
            if (inUse == 1) {
                return true;
            }
            if (freed == null) {
                freed = new PriorityQueue<>();
            }
            boolean ignored = freed.add(number);
            inUse--;
            return false;
        }
    }
}
