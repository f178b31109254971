package io.github.wheelscheduler.durable.internal.row;

import org.jspecify.annotations.Nullable;

/**
 * The schedule of a recurring task that is made at run time, as its code declares it. The column {@code declared} has
 * one line for the schedule and one for each policy that is not the default. A node ignores lines that it does not
 * know.
 *
 * @param schedule as {@code RecurringTable} reads it
 * @param skipsMissed whether a run that is much too late is left out
 */
public record MadeSchedule(String schedule, boolean skipsMissed) {

    private static final String SKIPS_MISSED = "missed SKIP";

    public static MadeSchedule read(@Nullable String text) {
        String[] lines = text == null ? new String[] {""} : text.split("\n", -1);
        boolean skips = false;
        for (int i = 1; i < lines.length; i++) {
            skips |= lines[i].equals(SKIPS_MISSED);
        }
        return new MadeSchedule(lines[0], skips);
    }

    public String text() {
        return skipsMissed ? schedule + "\n" + SKIPS_MISSED : schedule;
    }
}
