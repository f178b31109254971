package io.github.wheelscheduler.spring.task;

/**
 * What a task is known by.
 *
 * @param ordinal among the tasks of that name, from 1 on; 0 if the name was given to this task alone
 */
record TaskId(String name, int ordinal) {

    private static final char ORDINAL_MARK = '~';
    private static final int GIVEN = 0;

    static TaskId given(String name) {
        return new TaskId(name, GIVEN);
    }

    boolean isGiven() {
        return ordinal == GIVEN;
    }

    String text() {
        return ordinal <= 1 ? name : name + ORDINAL_MARK + ordinal;
    }
}
