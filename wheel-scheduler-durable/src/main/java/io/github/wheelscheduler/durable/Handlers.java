package io.github.wheelscheduler.durable;

import java.util.List;
import java.util.Map;
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

    boolean has(Handler<?> handler) {
        return handler.equals(byName.get(handler.name()));
    }

    List<Handler<?>> recurring() {
        return byName.values().stream()
                .filter(handler -> handler.recurrence() != null)
                .toList();
    }

    List<String> names() {
        return List.copyOf(byName.keySet());
    }
}
