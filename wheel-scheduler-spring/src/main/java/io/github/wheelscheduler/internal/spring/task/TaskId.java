package io.github.wheelscheduler.internal.spring.task;

import org.jspecify.annotations.Nullable;

/**
 * What a task is known by. Two ids are equal if their texts are, however those came about; the text is made when it is asked for.
 *
 * @param ordinal among the tasks of that name, from 1 on; 0 if the name was given to this task alone
 */
record TaskId(String name, int ordinal) {

    private static final char ORDINAL_MARK = '~';
    private static final int GIVEN = 0;
    private static final int HASH_FACTOR = 31;

    static TaskId given(String name) {
        return new TaskId(name, GIVEN);
    }

    boolean isGiven() {
        return ordinal == GIVEN;
    }

    String text() {
        return ordinal <= 1 ? name : name + ORDINAL_MARK + ordinal;
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
