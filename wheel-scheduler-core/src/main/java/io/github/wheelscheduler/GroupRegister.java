package io.github.wheelscheduler;

import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The groups of an executor by their names. Any thread. */
final class GroupRegister {

    private static final int FIRST_LOOK = 16;

    private final Engine engine;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final TreeMap<String, WheelScheduledExecutor> byName = new TreeMap<>();

    /** When there are so many, terminated ones are forgotten: seldom, so that it costs each group the same. As above. */
    private int nextLook = FIRST_LOOK;

    GroupRegister(Engine engine) {
        this.engine = engine;
    }

    WheelScheduledExecutorBuilder newGroup(String name) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, was '" + name + "'");
        }
        String self = engine.settings().groupName();
        if (self != null) {
            throw new IllegalStateException("A group must not have groups: " + name + " was asked of group " + self);
        }
        return new WheelScheduledExecutorBuilder(this, name, engine.settings());
    }

    WheelScheduledExecutor group(String name) {
        WheelScheduledExecutorBuilder builder = newGroup(name);
        lock.lock();
        try {
            WheelScheduledExecutor known = known(name);
            return known != null ? known : builder.build();
        } finally {
            lock.unlock();
        }
    }

    WheelScheduledExecutor add(ExecutorSettings settings) {
        StackReserve.askForMore();
        lock.lock();
        try {
            String name = String.valueOf(settings.groupName());
            if (known(name) != null) {
                throw new IllegalStateException("There must be one group of a name; there is a group " + name);
            }
            if (byName.size() >= nextLook) {
                forgetTerminated();
                nextLook = Math.max(FIRST_LOOK, 2 * byName.size());
            }
            WheelScheduledExecutor created = new WheelScheduledExecutor(engine.newGroup(settings));
            byName.put(name, created);
            return created;
        } finally {
            lock.unlock();
        }
    }

    List<WheelScheduledExecutor> all() {
        lock.lock();
        try {
            forgetTerminated();
            return List.copyOf(byName.values());
        } finally {
            lock.unlock();
        }
    }

    private void forgetTerminated() {
        boolean ignored = byName.values().removeIf(WheelScheduledExecutor::isTerminated);
    }

    /** Returns the group of that name unless it has terminated. */
    private @Nullable WheelScheduledExecutor known(String name) {
        WheelScheduledExecutor known = byName.get(name);
        return known == null || known.isTerminated() ? null : known;
    }
}
