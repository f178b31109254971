package io.github.wheelscheduler.internal.spring.task;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a scheduler, by their ids: a name, and a number for each but the first one that has that name. A task
 * whose given name looks like that has the place of the number, so that no two tasks have the same id. Any thread.
 */
final class TaskPlaces {

    /** In place of a number: the lowest free one. */
    private static final int LOWEST = 0;

    /** By name, while there is a task of that name, and for a moment longer. */
    private final Map<String, Namesakes> names = new ConcurrentHashMap<>();

    private final Consumer<TaskSeries> replacing;

    /**
     * Makes an empty one.
     *
     * @param replacing called with each task that has taken the place of one that is over
     */
    TaskPlaces(Consumer<TaskSeries> replacing) {
        this.replacing = replacing;
    }

    /** Returns the tasks of that name; if there are none, a new object that is not kept here yet. */
    Namesakes of(String name) {
        Namesakes known = names.get(name);
        return known == null ? new Namesakes(name) : known;
    }

    /** Puts a task whose name is its id; false if a task that is not over has that id. */
    boolean putGiven(TaskSeries series) {
        String id = series.name();
        int number = Namesakes.numberIn(id);
        return put(series, number == 1 ? series.namesakes() : of(Namesakes.nameIn(id)), number);
    }

    /** Puts a task under the lowest free number of its name. */
    void putNumbered(TaskSeries series) {
        Namesakes at = series.namesakes();
        if (at.lowest == 1 || !putGiven(series)) {
            boolean ignored = put(series, at, LOWEST);
        }
    }

    private boolean put(TaskSeries series, Namesakes known, int number) {
        Namesakes at = known;
        boolean isPut = false;
        TaskSeries before = null;
        while (!isPut) {
            before = number == LOWEST ? null : get(at, number);
            // Without the lock: it may ask a future of a user's.
            if (before != null && !before.isGone()) {
                return false;
            }
            synchronized (at) {
                try {
                    if (keep(at)) {
                        if (number == LOWEST) {
                            at.putNumbered(series);
                            isPut = true;
                        } else if (at.get(number) == before) {
                            at.putGiven(series, number);
                            isPut = true;
                        }
                    }
                } finally {
                    forgetIfEmpty(at);
                }
            }
            at = isPut ? at : of(at.name);
        }
        if (before != null) {
            replacing.accept(series);
        }
        return true;
    }

    /** Keeps the tasks of a name; false if it has been forgotten, or others are kept. With their lock held. */
    private boolean keep(Namesakes at) {
        if (!at.isKept && !at.isForgotten) {
            Namesakes known = names.putIfAbsent(at.name, at);
            // A map that finds no memory may have kept it all the same.
            at.isKept = known == null || known == at;
        }
        return at.isKept;
    }

    private void forgetIfEmpty(Namesakes at) {
        if (at.count() == 0) {
            at.isKept = false;
            at.isForgotten = true;
            boolean ignored = names.remove(at.name, at);
        }
    }

    /** Takes a task away; false if it is not here. If that fails, nothing has changed. */
    boolean remove(TaskSeries series) {
        Namesakes at = series.namesakes();
        synchronized (at) {
            boolean isRemoved = at.remove(series);
            if (isRemoved) {
                forgetIfEmpty(at);
            }
            return isRemoved;
        }
    }

    @Nullable
    TaskSeries get(String id) {
        Namesakes at = names.get(Namesakes.nameIn(id));
        return at == null ? null : get(at, Namesakes.numberIn(id));
    }

    private static @Nullable TaskSeries get(Namesakes at, int number) {
        synchronized (at) {
            return at.get(number);
        }
    }

    /** Returns the number of tasks. */
    int size() {
        int size = 0;
        for (Namesakes at : names.values()) {
            synchronized (at) {
                size += at.count();
            }
        }
        return size;
    }

    /** Returns the number of names. */
    int names() {
        return names.size();
    }

    /** Returns a view of all tasks, in no order. A walk may miss or show a task that is added or removed meanwhile. */
    Collection<TaskSeries> all() {
        return new AbstractCollection<>() {
            @Override
            public Iterator<TaskSeries> iterator() {
                return new Walk(names.values().iterator());
            }

            @Override
            public int size() {
                return TaskPlaces.this.size();
            }

            // Without a size, as that may change meanwhile.
            @Override
            public Spliterator<TaskSeries> spliterator() {
                return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.NONNULL);
            }
        };
    }

    private static final class Walk implements Iterator<TaskSeries> {

        private final Iterator<Namesakes> names;
        private @Nullable Namesakes current;
        private AtomicReferenceArray<@Nullable TaskSeries> numbered = new AtomicReferenceArray<>(0);
        private int index;
        private Iterator<TaskSeries> given = Collections.emptyIterator();
        private @Nullable TaskSeries next;

        Walk(Iterator<Namesakes> names) {
            this.names = names;
            step();
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public TaskSeries next() {
            TaskSeries found = next;
            if (found == null) {
                throw new NoSuchElementException("There are no more tasks");
            }
            step();
            return found;
        }

        private void step() {
            next = null;
            while (next == null) {
                if (index < numbered.length()) {
                    next = numbered.get(index);
                    index++;
                } else if (current != null) {
                    given = current.given().iterator();
                    current = null;
                } else if (given.hasNext()) {
                    next = given.next();
                } else if (names.hasNext()) {
                    Namesakes at = names.next();
                    next = at.first();
                    numbered = at.numbered();
                    index = 0;
                    current = at;
                } else {
                    return;
                }
            }
        }
    }
}
