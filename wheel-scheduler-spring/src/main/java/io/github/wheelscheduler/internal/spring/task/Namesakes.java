package io.github.wheelscheduler.internal.spring.task;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one name, by their numbers, from 1 on. They stand in an array, so that a task needs no entry of its own.
 * It is as long as the highest number so far, until the last task has gone. All fields and methods are guarded by this,
 * unless they say otherwise.
 */
final class Namesakes {

    private static final char ORDINAL_MARK = '~';
    private static final int MOST_DIGITS = 9;
    private static final AtomicReferenceArray<@Nullable TaskSeries> NONE = new AtomicReferenceArray<>(0);

    /** Any thread. */
    final String name;

    /** The lowest number of a task here: 2 if the name looks like a number of another one, where its first task is. */
    final int lowest;

    /** Whether {@link TaskPlaces} has this under the name. */
    boolean isKept;

    /** Whether that has removed it. If it were kept again, a walk could come by twice. */
    boolean isForgotten;

    /** The number of tasks. */
    private int count;

    /** The task whose id is the name. Read by any thread. */
    private volatile @Nullable TaskSeries first;

    /** Null while there is no other. Read by any thread. */
    private volatile @Nullable Others others;

    /** The tasks from number 2 on. */
    private static final class Others {

        /** Less 2, as in the array. A number is taken while there is any task that has it. */
        private final FreeNumbers numbers = new FreeNumbers();

        /** The tasks that have taken the lowest number. Read by any thread. */
        private volatile AtomicReferenceArray<@Nullable TaskSeries> numbered = new AtomicReferenceArray<>(2);

        /** The tasks whose given name looks like a number of this one, which may be any; null before the first one. */
        private @Nullable Map<Integer, TaskSeries> given;
    }

    /** Makes one without tasks. */
    Namesakes(String name) {
        this.name = name;
        this.lowest = numberIn(name) == 1 ? 1 : 2;
    }

    /** Returns the id of a task. Any thread. */
    static String idOf(String name, int number) {
        return number <= 1 ? name : name + ORDINAL_MARK + number;
    }

    /** Returns the number at the end of an id, as {@link #idOf} writes it; 1 if there is none. */
    static int numberIn(String id) {
        int mark = id.lastIndexOf(ORDINAL_MARK);
        int digits = id.length() - mark - 1;
        if (mark <= 0 || digits < 1 || digits > MOST_DIGITS || id.charAt(mark + 1) == '0') {
            return 1;
        }
        int number = 0;
        for (int i = mark + 1; i < id.length(); i++) {
            char c = id.charAt(i);
            if (c < '0' || c > '9') {
                return 1;
            }
            number = number * 10 + c - '0';
        }
        return number;
    }

    /** Returns an id without the number at its end. */
    static String nameIn(String id) {
        return numberIn(id) == 1 ? id : id.substring(0, id.lastIndexOf(ORDINAL_MARK));
    }

    int count() {
        return count;
    }

    @Nullable
    TaskSeries get(int number) {
        Others more = others;
        if (number == 1) {
            return first;
        }
        if (more == null || number < 1) {
            return null;
        }
        TaskSeries found = number - 2 < more.numbered.length() ? more.numbered.get(number - 2) : null;
        return found != null || more.given == null ? found : more.given.get(number);
    }

    /** Puts a task under the lowest number that is free. If that fails, nothing has changed. */
    void putNumbered(TaskSeries series) {
        if (lowest == 1 && first == null) {
            series.placed(this, 1, false);
            first = series;
            count++;
            return;
        }
        Others more = madeOthers();
        int index = more.numbers.lowest();
        while (more.given != null && more.given.containsKey(index + 2)) {
            // It was given before there was a bit for it.
            more.numbers.take(index);
            index = more.numbers.lowest();
        }
        AtomicReferenceArray<@Nullable TaskSeries> numbered = more.numbered;
        if (index >= numbered.length()) {
            numbered = longer(numbered, index);
            more.numbered = numbered;
        }
        more.numbers.take(index);
        count++;
        series.placed(this, index + 2, false);
        numbered.setRelease(index, series);
    }

    private static AtomicReferenceArray<@Nullable TaskSeries> longer(
            AtomicReferenceArray<@Nullable TaskSeries> before, int index) {
        AtomicReferenceArray<@Nullable TaskSeries> made =
                new AtomicReferenceArray<>(Math.max(index + 1, Math.multiplyExact(before.length(), 2)));
        for (int i = 0; i < before.length(); i++) {
            made.setPlain(i, before.get(i));
        }
        return made;
    }

    /** Puts a task, whose id that is, in the place of one that is over, or that nobody has. */
    void putGiven(TaskSeries series, int number) {
        TaskSeries before = get(number);
        if (number == 1) {
            series.placed(this, number, true);
            first = series;
        } else {
            Others more = madeOthers();
            Map<Integer, TaskSeries> given = more.given;
            if (given == null) {
                given = new TreeMap<>();
                more.given = given;
            }
            TaskSeries ignored = given.put(number, series);
            series.placed(this, number, true);
            takeIfFree(more, number);
        }
        count += before == null ? 1 : 0;
    }

    private static void takeIfFree(Others more, int number) {
        if (more.numbers.has(number - 2)) {
            more.numbers.take(number - 2);
        }
        if (number - 2 < more.numbered.length()) {
            more.numbered.setRelease(number - 2, null);
        }
    }

    private Others madeOthers() {
        Others more = others;
        if (more == null) {
            more = new Others();
            others = more;
        }
        return more;
    }

    /** Takes a task away, unless another has its place. If that fails, nothing has changed. */
    boolean remove(TaskSeries series) {
        int number = series.number();
        if (get(number) != series) {
            return false;
        }
        Others more = others;
        if (number == 1) {
            first = null;
        } else if (more != null) {
            if (series.isGiven()) {
                Object ignored = more.given == null ? null : more.given.remove(number);
            } else {
                more.numbered.setRelease(number - 2, null);
            }
            if (more.numbers.has(number - 2)) {
                more.numbers.giveBack(number - 2);
            }
        }
        count--;
        return true;
    }

    // What is there, for a walk. Any thread.

    @Nullable
    TaskSeries first() {
        return first;
    }

    /** Returns the others whose name this is, by their numbers. */
    AtomicReferenceArray<@Nullable TaskSeries> numbered() {
        Others more = others;
        return more == null ? NONE : more.numbered;
    }

    /** Returns the others whose given name looks like a number of this one. */
    List<TaskSeries> given() {
        if (others == null) {
            return List.of();
        }
        synchronized (this) {
            return others == null || others.given == null ? List.of() : List.copyOf(others.given.values());
        }
    }
}
