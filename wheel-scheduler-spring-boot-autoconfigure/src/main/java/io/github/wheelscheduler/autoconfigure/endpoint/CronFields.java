package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The numbers that the fields of a cron expression name, read by Spring's rules.
 *
 * @param written the six fields as they are written, macros resolved
 * @param days of the month
 * @param specialDays days of the month such as {@code L} and {@code 15W}
 * @param weekdays 1 for Monday to 7
 * @param specialWeekdays such as {@code 5L} and {@code 2#1}, names of days replaced by numbers
 */
record CronFields(
        List<String> written,
        List<Integer> seconds,
        List<Integer> minutes,
        List<Integer> hours,
        List<Integer> days,
        List<String> specialDays,
        List<Integer> months,
        List<Integer> weekdays,
        List<String> specialWeekdays) {

    static final List<String> MONTHS =
            names("January February March April May June July August September October" + " November December");
    static final List<String> WEEKDAYS = names("Monday Tuesday Wednesday Thursday Friday Saturday Sunday");

    private static final Map<String, String> MACROS = Map.of(
            "@yearly", "0 0 0 1 1 *",
            "@annually", "0 0 0 1 1 *",
            "@monthly", "0 0 0 1 * *",
            "@weekly", "0 0 0 * * 0",
            "@daily", "0 0 0 * * *",
            "@midnight", "0 0 0 * * *",
            "@hourly", "0 0 * * * *");
    private static final int FIELDS = 6;
    private static final int DAY = 3;
    private static final int MONTH = 4;
    private static final int WEEKDAY = 5;
    private static final int LETTERS_OF_NAMES = 3;

    private static List<String> names(String text) {
        return List.of(text.split(" ", -1));
    }

    /** The unit that a field counts, from the first number to the last. */
    private enum Unit {
        SECOND(0, 59),
        MINUTE(0, 59),
        HOUR(0, 23),
        DAY(1, 31),
        MONTH(1, 12),
        WEEKDAY(1, 7);

        private final int first;
        private final int last;

        Unit(int first, int last) {
            this.first = first;
            this.last = last;
        }
    }

    /**
     * Reads an expression that Spring understands.
     *
     * @throws IllegalArgumentException if it has something else
     */
    static CronFields of(String expression) {
        String stripped = expression.strip();
        String[] fields =
                MACROS.getOrDefault(stripped.toLowerCase(Locale.ROOT), stripped).split("\\s+", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("expression must have six fields, was " + expression);
        }
        List<String> days = parts(fields[DAY], List.of());
        List<String> weekdays = parts(fields[WEEKDAY], WEEKDAYS);
        List<String> specialDays = days.stream()
                .filter(part -> part.contains("L") || part.contains("W"))
                .toList();
        List<String> specialWeekdays = weekdays.stream()
                .filter(part -> part.contains("L") || part.contains("#"))
                .toList();
        return new CronFields(
                List.of(fields),
                read(parts(fields[0], List.of()), Unit.SECOND),
                read(parts(fields[1], List.of()), Unit.MINUTE),
                read(parts(fields[2], List.of()), Unit.HOUR),
                read(without(specialDays, days), Unit.DAY),
                specialDays,
                read(parts(fields[MONTH], MONTHS), Unit.MONTH),
                read(without(specialWeekdays, weekdays), Unit.WEEKDAY),
                specialWeekdays);
    }

    boolean hasAllSeconds() {
        return isAll(seconds, Unit.SECOND);
    }

    boolean hasAllMinutes() {
        return isAll(minutes, Unit.MINUTE);
    }

    boolean hasAllHours() {
        return isAll(hours, Unit.HOUR);
    }

    boolean hasAllDays() {
        return isAll(days, Unit.DAY);
    }

    boolean hasAllMonths() {
        return isAll(months, Unit.MONTH);
    }

    boolean hasAllWeekdays() {
        return isAll(weekdays, Unit.WEEKDAY);
    }

    private static boolean isAll(List<Integer> numbers, Unit unit) {
        return numbers.size() == unit.last - unit.first + 1;
    }

    /** Returns what commas divide, in upper case and with numbers in place of names. */
    private static List<String> parts(String field, List<String> names) {
        String read = field.toUpperCase(Locale.ROOT);
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i).substring(0, LETTERS_OF_NAMES).toUpperCase(Locale.ROOT);
            read = read.replace(name, String.valueOf(i + 1));
        }
        return List.of(read.split(",", -1));
    }

    private static List<String> without(List<String> special, List<String> parts) {
        List<String> left = new ArrayList<>(parts);
        boolean ignored = left.removeAll(special);
        return left;
    }

    private static List<Integer> read(List<String> parts, Unit unit) {
        BitSet found = new BitSet();
        for (String part : parts) {
            int slash = part.indexOf('/');
            String range = slash < 0 ? part : part.substring(0, slash);
            int step = slash < 0 ? 1 : Integer.parseInt(part.substring(slash + 1));
            if (step < 1) {
                throw new IllegalArgumentException("step must be at least 1, was " + part);
            }
            int hyphen = range.indexOf('-');
            int first;
            int last;
            if (range.equals("*") || range.equals("?")) {
                first = unit.first;
                last = unit.last;
            } else if (hyphen < 0) {
                first = Integer.parseInt(range);
                last = slash < 0 ? first : unit.last;
            } else {
                first = Integer.parseInt(range.substring(0, hyphen));
                last = Integer.parseInt(range.substring(hyphen + 1));
                // A range begins with the Sunday that is 0.
                first = unit == Unit.WEEKDAY && first == unit.last ? 0 : first;
            }
            IntStream.iterate(first, number -> number <= last, number -> number + step)
                    .forEach(found::set);
        }
        if (unit == Unit.WEEKDAY && found.get(0)) {
            found.clear(0);
            found.set(unit.last);
        }
        return found.stream().boxed().toList();
    }

    /** Returns the fields with their names, as they are written. */
    String asWritten() {
        List<String> names = List.of("second", "minute", "hour", "day of month", "month", "day of week");
        return String.join(
                ", ",
                IntStream.range(0, FIELDS)
                        .mapToObj(field -> names.get(field) + " " + written.get(field))
                        .toList());
    }
}
