package io.github.wheelscheduler.benchmarks.profile;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/** Samples of where threads were, counted by the role of the thread. */
final class Frames {

    private final Map<Role, Map<String, Long>> byRole = new EnumMap<>(Role.class);

    void add(@Nullable RecordedThread thread, String place) {
        String name = thread == null ? null : thread.getJavaName();
        Role role = Role.of(name == null ? "" : name);
        byRole.computeIfAbsent(role, absent -> new HashMap<>()).merge(place, 1L, Long::sum);
    }

    long all() {
        long all = 0;
        for (Role role : Role.values()) {
            all += of(role);
        }
        return all;
    }

    long of(Role role) {
        return byRole.getOrDefault(role, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Returns the places where a role was seen most, with how often. */
    List<Map.Entry<String, Long>> top(Role role, int limit) {
        return Samples.top(byRole.getOrDefault(role, Map.of()), limit);
    }
}
