package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.fromTo;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.isLongRow;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.isManySteps;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.joined;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.last;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.names;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.ordinal;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.rows;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.stepOf;

import java.util.ArrayList;
import java.util.List;

/**
 * The days of a cron expression in English words.
 *
 * @param cron the fields that they are read from
 */
record CronDayWords(CronFields cron) {

    /** Each month has so many days. */
    private static final int SHORTEST_MONTH = 28;

    private static final int DAYS_PER_WEEK = 7;
    private static final List<Integer> WORKING_DAYS = List.of(1, 2, 3, 4, 5);

    /** Whether words can say both, days of the month and of the week. */
    boolean canBeSaid() {
        boolean isPlain = cron.specialWeekdays().isEmpty();
        return isPlain || (cron.weekdays().isEmpty() && !isDayGiven());
    }

    /** Whether it is every day, but perhaps of some months only. */
    boolean isEachDay() {
        return !isDayGiven() && !isWeekdayGiven();
    }

    /** Whether days of the month count that are certain days of the week. */
    boolean areBothGiven() {
        return isDayGiven() && isWeekdayGiven();
    }

    private boolean isDayGiven() {
        return !cron.hasAllDays();
    }

    private boolean isWeekdayGiven() {
        return !cron.hasAllWeekdays();
    }

    /** Returns the days, in front of times. */
    String first() {
        if (isDayGiven() || !cron.specialWeekdays().isEmpty()) {
            return behind();
        }
        if (isEachDay()) {
            return "every day";
        }
        if (cron.weekdays().equals(WORKING_DAYS)) {
            return "every weekday";
        }
        return isLongRow(cron.weekdays())
                ? "every day " + fromTo(CronFields.WEEKDAYS, cron.weekdays())
                : "every " + joined(names(CronFields.WEEKDAYS, cron.weekdays(), ""), "and");
    }

    /** Returns the days, behind times or something that is repeated on them; they are not each day. */
    String behind() {
        if (!cron.specialWeekdays().isEmpty()) {
            List<String> named = cron.specialWeekdays().stream()
                    .map(CronDayWords::specialWeekday)
                    .toList();
            return "on " + joined(named, "and") + ofMonths();
        }
        if (isDayGiven()) {
            return onDaysOfMonth() + (isWeekdayGiven() ? " if that is a " + weekdayThen() : "");
        }
        if (cron.weekdays().equals(WORKING_DAYS)) {
            return "on weekdays";
        }
        return isLongRow(cron.weekdays())
                ? fromTo(CronFields.WEEKDAYS, cron.weekdays())
                : "on " + joined(names(CronFields.WEEKDAYS, cron.weekdays(), "s"), "and");
    }

    private String weekdayThen() {
        return cron.weekdays().equals(WORKING_DAYS)
                ? "weekday"
                : joined(names(CronFields.WEEKDAYS, cron.weekdays(), ""), "or");
    }

    private static String specialWeekday(String special) {
        int hash = special.indexOf('#');
        int weekday = Integer.parseInt(special.substring(0, hash < 0 ? special.length() - 1 : hash));
        String which = hash < 0 ? "last" : ordinal(Integer.parseInt(special.substring(hash + 1)), DAYS_PER_WEEK);
        // Sunday is 0 or 7.
        return "the " + which + " " + CronFields.WEEKDAYS.get((weekday + DAYS_PER_WEEK - 1) % DAYS_PER_WEEK);
    }

    private String onDaysOfMonth() {
        List<Integer> days = cron.days();
        if (days.size() == 1 && cron.months().size() == 1 && cron.specialDays().isEmpty()) {
            boolean isEachYear = days.get(0) <= SHORTEST_MONTH && !isWeekdayGiven();
            return (isEachYear ? "every year on " : "on ") + days.get(0) + " "
                    + CronFields.MONTHS.get(cron.months().get(0) - 1);
        }
        List<String> named = new ArrayList<>();
        if (isManySteps(days)) {
            named.add("every " + ordinal(stepOf(days), 0) + " day from the " + dayOfMonth(days.get(0)) + " to the "
                    + dayOfMonth(last(days)));
        } else {
            rows(days)
                    .forEach(row -> named.add("the " + dayOfMonth(row.get(0))
                            + (row.size() == 1 ? "" : " to the " + dayOfMonth(last(row)))));
        }
        cron.specialDays().forEach(special -> named.add(specialDay(special)));
        boolean isRare = named.size() == 1 && days.size() == 1 && days.get(0) > SHORTEST_MONTH;
        return "on " + joined(named, "and") + ofMonths() + (isRare && cron.hasAllMonths() ? " that has it" : "");
    }

    private static String specialDay(String special) {
        if (special.equals("L")) {
            return "the last day";
        }
        if (special.equals("LW")) {
            return "the last weekday";
        }
        if (special.startsWith("L")) {
            int days = Integer.parseInt(special.substring(special.indexOf('-') + 1));
            return "the " + (days == 1 ? "" : ordinal(days, 0) + " ") + "day before the last day";
        }
        return "the weekday nearest to the " + dayOfMonth(Integer.parseInt(special.substring(0, special.length() - 1)));
    }

    private static String dayOfMonth(int day) {
        return ordinal(day, 1);
    }

    private String ofMonths() {
        if (cron.hasAllMonths()) {
            return " of each month";
        }
        return isLongRow(cron.months())
                ? " of each month " + fromTo(CronFields.MONTHS, cron.months())
                : " of " + joined(names(CronFields.MONTHS, cron.months(), ""), "and");
    }

    /** Returns the months with a blank before them, where the days have not named them; empty if they are all. */
    String inMonths() {
        if (cron.hasAllMonths() || isDayGiven() || !cron.specialWeekdays().isEmpty()) {
            return "";
        }
        return isLongRow(cron.months())
                ? " in each month " + fromTo(CronFields.MONTHS, cron.months())
                : " in " + joined(names(CronFields.MONTHS, cron.months(), ""), "and");
    }
}
