package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds tasks of some schedulers. Each task is looked at once, for several searches, without its notes and without a
 * lock that a run takes; only what a page shows is looked at closely. One thread; each search is to be used once.
 */
public final class TaskSearch {

    private static final char SEPARATOR = '\n';
    private static final int CURSOR_PARTS = 7;

    private final List<Room> rooms;
    private final TaskQuery query;
    private final TaskFilter filter;
    private final Comparator<Hit> order;
    private final PriorityQueue<Hit> kept;

    /** The number that is kept. */
    private final long wanted;

    private final @Nullable Hit after;
    private int total;
    private int following;

    /**
     * The tasks of a scheduler.
     *
     * @param name of the scheduler
     */
    public record Room(String name, TaskStore book, TaskLook look) {}

    /**
     * A task that has been found, or the place of one that was.
     *
     * @param room which scheduler, by its number
     * @param rank the first sort key
     * @param key and then; null if it has none, or only its id counts
     * @param task null for a place
     */
    private record Hit(
            int room,
            String id,
            int rank,
            @Nullable Long key,
            @Nullable TaskSeries task) {}

    /**
     * Makes one.
     *
     * @throws IllegalArgumentException if the query's {@code after} is no place in this order
     */
    public TaskSearch(List<Room> rooms, TaskQuery query) {
        this.rooms = rooms;
        this.query = query;
        this.filter = new TaskFilter(query);
        this.order = order();
        this.kept = new PriorityQueue<>(order.reversed());
        this.wanted = query.limit() == 0 ? 0 : (long) query.offset() + query.limit();
        this.after = query.after() == null ? null : placeOf(query.after());
    }

    /** Is shown tasks, one after the other. */
    interface Viewer {

        /**
         * Sees a task.
         *
         * @param room which scheduler it is of, by its number
         */
        void see(int room, SearchedTask searched);
    }

    /** Shows all tasks. */
    static void show(List<Room> rooms, Viewer viewer) {
        for (int i = 0; i < rooms.size(); i++) {
            Room room = rooms.get(i);
            Iterator<TaskSeries> tasks = room.book().tasks().iterator();
            // A scheduler without tasks may have no clock.
            long nowNanos = tasks.hasNext() ? room.book().nanoTime() : 0;
            while (tasks.hasNext()) {
                viewer.see(i, new SearchedTask(tasks.next(), room.look(), nowNanos));
            }
        }
    }

    /**
     * Looks at all tasks, and returns the page that was asked for.
     *
     * @param shown the details of a task, of the scheduler of that name
     */
    public <T> TaskQuery.Page<T> page(BiFunction<String, TaskInfo, T> shown) {
        show(rooms, this::see);
        return found(shown);
    }

    void see(int room, SearchedTask searched) {
        if (!filter.isFound(searched)) {
            return;
        }
        total++;
        if (wanted == 0) {
            return;
        }
        int rank = rankOf(searched);
        Hit hit = new Hit(room, searched.task.id(), rank, keyOf(searched, rank), searched.task);
        if (after != null && order.compare(hit, after) <= 0) {
            return;
        }
        following++;
        if (kept.size() < wanted) {
            kept.add(hit);
        } else if (order.compare(hit, kept.element()) < 0) {
            Hit ignored = kept.remove();
            kept.add(hit);
        }
    }

    /** Returns the page. */
    <T> TaskQuery.Page<T> found(BiFunction<String, TaskInfo, T> shown) {
        List<Hit> hits = kept.stream()
                .sorted(order)
                .skip(query.offset())
                .limit(query.limit())
                .toList();
        List<T> tasks = new ArrayList<>(hits.size());
        for (Hit hit : hits) {
            Room room = rooms.get(hit.room);
            if (hit.task != null) {
                tasks.add(shown.apply(room.name(), room.look().info(hit.task)));
            }
        }
        boolean isLast = hits.isEmpty() || following <= wanted;
        return new TaskQuery.Page<>(List.copyOf(tasks), total, isLast ? null : textOf(hits.get(hits.size() - 1)));
    }

    // The order

    /** Tasks that need attention come first if that order was requested. */
    private int rankOf(SearchedTask searched) {
        return query.order() == TaskQuery.Order.URGENCY && !searched.isOverdue() && !searched.isFailing() ? 1 : 0;
    }

    private @Nullable Long keyOf(SearchedTask searched, int rank) {
        return switch (query.order()) {
            case SCHEDULER, ID -> null;
            case NEXT -> searched.nextNanos();
            // Since when, which stays the same from one page to the next while the task gets later and later.
            case LATENESS -> searched.lateSinceNanos();
            case URGENCY -> rank == 0 ? searched.lateSinceNanos() : searched.nextNanos();
            case LAST_FAILURE -> {
                long failedAt = searched.task.guard().lastFailure();
                yield failedAt == 0 ? null : (Long) failedAt;
            }
        };
    }

    private Comparator<Hit> order() {
        Comparator<Hit> byRoom = Comparator.comparingInt(Hit::room);
        Comparator<Hit> byId = Comparator.comparing(Hit::id);
        Comparator<Hit> both =
                query.order() == TaskQuery.Order.SCHEDULER ? byRoom.thenComparing(byId) : byId.thenComparing(byRoom);
        return switch (query.order()) {
            case SCHEDULER, ID -> query.descending() ? both.reversed() : both;
            // A longer delay is greater, and a task that is on time is the least.
            case LATENESS -> byKey(!query.descending(), !query.descending()).thenComparing(both);
            case URGENCY -> {
                Comparator<Hit> urgentFirst = Comparator.comparingInt(Hit::rank)
                        .thenComparing(byKey(false, false))
                        .thenComparing(both);
                yield query.descending() ? urgentFirst.reversed() : urgentFirst;
            }
            case NEXT, LAST_FAILURE -> byKey(query.descending(), false).thenComparing(both);
        };
    }

    /** Compares times of clocks that may overflow, by their difference. */
    private static Comparator<Hit> byKey(boolean isReversed, boolean isNullFirst) {
        return (one, other) -> {
            if (one.key == null || other.key == null) {
                int nullLast = Boolean.compare(one.key == null, other.key == null);
                return isNullFirst ? -nullLast : nullLast;
            }
            int result = Long.signum(one.key - other.key);
            return isReversed ? -result : result;
        };
    }

    // Places between two pages, as text

    private String textOf(Hit last) {
        String key = last.key == null ? "" : last.key.toString();
        String name = rooms.get(last.room).name();
        String place = String.join(
                String.valueOf(SEPARATOR),
                query.order().name(),
                String.valueOf(query.descending()),
                clock(),
                String.valueOf(last.rank),
                key,
                name,
                last.id);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(place.getBytes(StandardCharsets.UTF_8));
    }

    private Hit placeOf(String given) {
        try {
            String place = new String(Base64.getUrlDecoder().decode(given), StandardCharsets.UTF_8);
            String[] parts = place.split(String.valueOf(SEPARATOR), CURSOR_PARTS);
            List<String> names = rooms.stream().map(Room::name).toList();
            if (parts.length == CURSOR_PARTS
                    && parts[0].equals(query.order().name())
                    && parts[1].equals(String.valueOf(query.descending()))
                    && parts[2].equals(clock())
                    && names.contains(parts[5])) {
                return new Hit(
                        names.indexOf(parts[5]),
                        parts[6],
                        Integer.parseInt(parts[3]),
                        parts[4].isEmpty() ? null : Long.valueOf(parts[4]),
                        null);
            }
        } catch (IllegalArgumentException ex) {
            // Not ours.
        }
        throw new IllegalArgumentException(
                "after must be the next value of a page in the same order, from the same process, was " + given);
    }

    /**
     * Returns an id of the clock of the keys, to distinguish it from another process's; the same text for all if it is
     * not needed.
     */
    private String clock() {
        return switch (query.order()) {
            case SCHEDULER, ID, LAST_FAILURE -> "";
            case NEXT, LATENESS, URGENCY ->
                rooms.isEmpty()
                        ? ""
                        : String.valueOf(System.identityHashCode(rooms.get(0).book()));
        };
    }
}
