package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds tasks of some schedulers. Each task is looked at once, without its notes and without a lock that a run takes; only what a page
 * shows is looked at closely. One thread.
 */
public final class TaskSearch {

    private static final char SEPARATOR = '\n';
    private static final int CURSOR_PARTS = 6;

    private final List<Room> rooms;
    private final TaskQuery query;
    private final String text;
    private final Comparator<Hit> order;

    /**
     * The tasks of a scheduler.
     *
     * @param name of the scheduler
     */
    public record Room(String name, TaskBook book, TaskLook look) {}

    /**
     * A task that has been found, or the place of one that was.
     *
     * @param room which scheduler, by its number
     * @param key what it is put in order by; null if it has none, or only its id counts
     * @param task null for a place
     */
    private record Hit(
            int room,
            String id,
            @Nullable Long key,
            @Nullable TaskSeries task) {}

    public TaskSearch(List<Room> rooms, TaskQuery query) {
        this.rooms = rooms;
        this.query = query;
        this.text = query.text().toLowerCase(Locale.ROOT);
        this.order = order();
    }

    /**
     * Returns the page that was asked for.
     *
     * @param shown what is shown of a task, of the scheduler of that name
     * @throws IllegalArgumentException if what the page is to come after is no place in this order
     */
    public <T> TaskQuery.Page<T> page(BiFunction<String, TaskInfo, T> shown) {
        Hit after = query.after() == null ? null : placeOf(query.after());
        long wanted = (long) query.offset() + query.limit();
        PriorityQueue<Hit> kept = new PriorityQueue<>(order.reversed());
        int total = 0;
        int following = 0;
        for (int room = 0; room < rooms.size(); room++) {
            TaskLook look = rooms.get(room).look();
            for (TaskSeries task : rooms.get(room).book().tasks()) {
                if (!isFound(task, look)) {
                    continue;
                }
                total++;
                Hit hit = new Hit(room, task.id(), keyOf(task), task);
                if (after != null && order.compare(hit, after) <= 0) {
                    continue;
                }
                following++;
                if (kept.size() < wanted) {
                    kept.add(hit);
                } else if (wanted > 0 && order.compare(hit, kept.element()) < 0) {
                    Hit ignored = kept.remove();
                    kept.add(hit);
                }
            }
        }
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

    /** Whether the query, apart from order and part, is for that task. */
    boolean isFound(TaskSeries task, TaskLook look) {
        return (text.isEmpty() || task.id().toLowerCase(Locale.ROOT).contains(text))
                && (query.conditions().isEmpty()
                        || query.conditions().stream().anyMatch(condition -> meets(task, condition, look)));
    }

    private static boolean meets(TaskSeries task, TaskQuery.Condition condition, TaskLook look) {
        return switch (condition) {
            case OVERDUE -> look.isOverdue(task);
            case FAILING -> task.guard().isFailing();
            case PAUSED -> TaskLook.stateOf(task) == TaskInfo.State.PAUSED;
            case RUNNING -> TaskLook.stateOf(task) == TaskInfo.State.RUNNING;
            case PENDING -> TaskLook.stateOf(task) == TaskInfo.State.PENDING;
            case DISABLED -> TaskLook.stateOf(task) == TaskInfo.State.DISABLED;
            case OVER -> TaskLook.stateOf(task) == TaskInfo.State.OVER;
        };
    }

    // The order

    private @Nullable Long keyOf(TaskSeries task) {
        return switch (query.order()) {
            case SCHEDULER, ID -> null;
            case NEXT -> TaskLook.nextNanos(task);
            // Since when, which stays the same from one page to the next while the task gets later and later.
            case LATENESS -> TaskLook.lateSinceNanos(task);
            case LAST_FAILURE -> {
                long failedAt = task.guard().lastFailure();
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
            // Late for longer is later by now, and what is not late is the least.
            case LATENESS -> byKey(!query.descending(), !query.descending()).thenComparing(both);
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
                    && names.contains(parts[4])) {
                return new Hit(
                        names.indexOf(parts[4]), parts[5], parts[3].isEmpty() ? null : Long.valueOf(parts[3]), null);
            }
        } catch (IllegalArgumentException ex) {
            // Not ours.
        }
        throw new IllegalArgumentException(
                "after must be what a page in the same order, of the same process, had as next, was " + given);
    }

    /** Returns what tells the clock that keys are on from that of another process; the same text for all where it is not needed. */
    private String clock() {
        return switch (query.order()) {
            case SCHEDULER, ID, LAST_FAILURE -> "";
            case NEXT, LATENESS ->
                rooms.isEmpty()
                        ? ""
                        : String.valueOf(System.identityHashCode(rooms.get(0).book()));
        };
    }
}
