package io.github.wheelscheduler.durable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The handlers of this node, by name. Any thread. */
final class Handlers {

    private final Map<String, Handler<?>> byName = new ConcurrentSkipListMap<>();

    /** @throws IllegalStateException if there is one of that name */
    void add(Handler<?> handler) {
        if (byName.putIfAbsent(handler.name(), handler) != null) {
            throw new IllegalStateException(
                    "A durable handler must have a name of its own, there are two '" + handler.name() + "'");
        }
    }

    @Nullable
    Handler<?> find(String name) {
        return byName.get(name);
    }

    void remove(Handler<?> handler) {
        boolean ignored = byName.remove(handler.name(), handler);
    }

    List<Handler<?>> recurring() {
        return byName.values().stream()
                .filter(handler -> handler.recurrence() != null)
                .toList();
    }

    List<String> recurringIds() {
        return recurring().stream().map(Handler::id).toList();
    }

    List<String> oneTimeNames() {
        return byName.values().stream()
                .filter(handler -> handler.recurrence() == null)
                .map(Handler::name)
                .toList();
    }

    /** Returns how many runs of each bounded handler may go on at a time. */
    Map<String, Integer> bounds() {
        Map<String, Integer> bounds = new HashMap<>();
        for (Handler<?> handler : byName.values()) {
            if (handler.mostRunning() != Integer.MAX_VALUE) {
                Integer ignored = bounds.put(handler.name(), handler.mostRunning());
            }
        }
        return bounds;
    }

    Set<String> names() {
        return byName.keySet();
    }

    int size() {
        return byName.size();
    }
}
