package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.StackReserve;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The groups of an executor by their names. Any thread.
 *
 * @param <G> the public type of a group
 */
public final class GroupRegister<G extends ExecutorService> {

    private final Engine engine;

    /** Creates the public object of a group from its engine. */
    private final Function<Engine, G> face;

    private final ReentrantLock lock = new ReentrantLock();

    public GroupRegister(Engine engine, Function<Engine, G> face) {
        this.engine = engine;
        this.face = face;
    }

    /** Returns the name if there may be a group of that name here. */
    public String checkName(String name) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, was '" + name + "'");
        }
        String self = engine.settings.groupName();
        if (self != null) {
            throw new IllegalStateException(
                    "A group must not have groups; create " + name + " on the executor, not on group " + self);
        }
        return name;
    }

    /** Returns the group of that name; if there is none, the one that is made now and {@linkplain #add adds} itself. */
    public G group(String name, Supplier<G> made) {
        lock.lock();
        try {
            G known = known(name);
            return known != null ? known : made.get();
        } finally {
            lock.unlock();
        }
    }

    public G add(ExecutorSettings settings) {
        StackReserve.askForMore();
        lock.lock();
        try {
            String name = String.valueOf(settings.groupName());
            if (known(name) != null) {
                throw new IllegalStateException("The name of a group must be unique; there is already a group " + name);
            }
            Engine created = engine.newGroup(settings);
            G made = face.apply(created);
            created.face = made;
            return made;
        } finally {
            lock.unlock();
        }
    }

    public List<G> all() {
        lock.lock();
        try {
            List<G> all = new ArrayList<>();
            for (Engine each : engine.shared.groups) {
                G known = each.runState.isTerminated() ? null : faceOf(each);
                if (known != null) {
                    all.add(known);
                }
            }
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the group of that name unless it has terminated. */
    private @Nullable G known(String name) {
        Engine known = engine.shared.group(name);
        return known == null ? null : faceOf(known);
    }

    @SuppressWarnings("unchecked") // made by this
    private @Nullable G faceOf(Engine group) {
        return (G) group.face;
    }
}
