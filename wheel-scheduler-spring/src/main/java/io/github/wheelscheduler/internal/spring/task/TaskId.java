package io.github.wheelscheduler.internal.spring.task;

import org.jspecify.annotations.Nullable;

/** The id of a task. Two ids are equal if their texts are, however those came about. Any thread. */
final class TaskId {

    private static final char ORDINAL_MARK = '~';
    private static final int GIVEN = 0;
    private static final int HASH_FACTOR = 31;

    private final String name;
    private final int ordinal;

    /** Made when it is asked for, by any thread, each of which makes the same. */
    private @Nullable String text;

    /**
     * Makes an id.
     *
     * @param ordinal among the tasks of that name, from 1 on; 0 if the name was given to this task alone
     */
    TaskId(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    static TaskId given(String name) {
        return new TaskId(name, GIVEN);
    }

    String name() {
        return name;
    }

    int ordinal() {
        return ordinal;
    }

    boolean isGiven() {
        return ordinal == GIVEN;
    }

    String text() {
        if (ordinal <= 1) {
            return name;
        }
        String made = text;
        if (made == null) {
            made = name + ORDINAL_MARK + ordinal;
            text = made;
        }
        return made;
    }

    @Override
    public boolean equals(@Nullable Object object) {
        if (!(object instanceof TaskId other)) {
            return false;
        }
        return ordinal == other.ordinal ? name.equals(other.name) : text().equals(other.text());
    }

    /** That of the text, as strings define it, without making one. */
    @Override
    public int hashCode() {
        return ordinal <= 1 ? name.hashCode() : withDigits(HASH_FACTOR * name.hashCode() + ORDINAL_MARK, ordinal);
    }

    private static int withDigits(int hash, int number) {
        int before = number < 10 ? hash : withDigits(hash, number / 10);
        return HASH_FACTOR * before + '0' + number % 10;
    }

    @Override
    public String toString() {
        return text();
    }
}
