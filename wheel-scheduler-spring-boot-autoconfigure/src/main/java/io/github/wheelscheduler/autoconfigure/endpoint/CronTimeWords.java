package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.isEven;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.isRow;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.joined;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.last;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.numbered;
import static io.github.wheelscheduler.autoconfigure.endpoint.NumberWords.stepOf;

import io.github.wheelscheduler.internal.DurationWords;
import java.util.ArrayList;
import java.util.List;

/**
 * The times of day of a cron expression in English words.
 *
 * @param cron the fields that they are read from
 */
record CronTimeWords(CronFields cron) {

    /** So many times of a day are named one by one. */
    private static final int MOST_TIMES = 6;

    /** From so many hours on, equal steps that fill the day are said by their length. */
    private static final int LEAST_HOURS = 4;

    private static final int HOURS_PER_DAY = 24;
    private static final int PARTS = 60;
    private static final List<Integer> ZERO = List.of(0);

    /** Whether they are so few that {@link #named} says them; else {@link #repeated} does. */
    boolean areFew() {
        int times = cron.seconds().size() * cron.minutes().size() * cron.hours().size();
        return times <= MOST_TIMES && !isEachHours();
    }

    /** Returns each of them. */
    String named() {
        List<String> named = new ArrayList<>();
        for (int hour : cron.hours()) {
            for (int minute : cron.minutes()) {
                cron.seconds().forEach(second -> named.add(time(hour, minute, second)));
            }
        }
        return "at " + joined(named, "and");
    }

    private String time(int hour, int minute, int second) {
        return cron.seconds().equals(ZERO)
                ? "%d:%02d".formatted(hour, minute)
                : "%d:%02d:%02d".formatted(hour, minute, second);
    }

    /** Returns how often they come. */
    String repeated() {
        if (cron.seconds().size() > 1) {
            return repeatedSeconds();
        }
        return cron.minutes().size() > 1 ? repeatedMinutes() : repeatedHours();
    }

    private String repeatedHours() {
        if (!isEven(cron.hours())) {
            return named();
        }
        int minute = cron.minutes().get(0);
        int second = cron.seconds().get(0);
        if (cron.hasAllHours()) {
            String at = " at minute " + minute + (second == 0 ? "" : " and second " + second);
            return "every hour" + (minute + second == 0 ? "" : at);
        }
        return "every " + DurationWords.times(stepOf(cron.hours()), "hour") + (isEachHours() ? "" : fromTo());
    }

    private boolean isEachHours() {
        return cron.seconds().equals(ZERO)
                && cron.minutes().equals(ZERO)
                && cron.hours().size() >= LEAST_HOURS
                && isWhole(cron.hours(), HOURS_PER_DAY);
    }

    private String repeatedMinutes() {
        int second = cron.seconds().get(0);
        if (!isWhole(cron.minutes(), PARTS)) {
            return "at " + (second == 0 ? "" : "second " + second + " of ") + numbered("minute", cron.minutes())
                    + ofHours();
        }
        String every = "every " + DurationWords.times(stepOf(cron.minutes()), "minute");
        String atSecond = second == 0 ? "" : " at second " + second;
        if (cron.hasAllHours()) {
            return every + atSecond;
        }
        return isRow(cron.hours()) ? every + fromTo() : every + atSecond + " in " + numbered("hour", cron.hours());
    }

    private String repeatedSeconds() {
        if (!isWhole(cron.seconds(), PARTS)) {
            String ofMinutes = cron.hasAllMinutes() ? "each minute" : numbered("minute", cron.minutes());
            boolean isAlways = cron.hasAllMinutes() && cron.hasAllHours();
            return "at " + numbered("second", cron.seconds()) + " of " + ofMinutes + (isAlways ? "" : ofHours());
        }
        int step = stepOf(cron.seconds());
        String every = step == 1 ? "every second" : "every " + step + " s";
        if (!cron.hasAllMinutes()) {
            return every + " in " + numbered("minute", cron.minutes()) + ofHours();
        }
        if (cron.hasAllHours()) {
            return every;
        }
        return isRow(cron.hours()) ? every + fromTo() : every + " in " + numbered("hour", cron.hours());
    }

    /** Whether equal steps from 0 on fill so many. */
    private static boolean isWhole(List<Integer> numbers, int parts) {
        return numbers.get(0) == 0 && isEven(numbers) && stepOf(numbers) * numbers.size() == parts;
    }

    private String fromTo() {
        return " from "
                + time(
                        cron.hours().get(0),
                        cron.minutes().get(0),
                        cron.seconds().get(0))
                + " to "
                + time(last(cron.hours()), last(cron.minutes()), last(cron.seconds()));
    }

    private String ofHours() {
        return " of " + (cron.hasAllHours() ? "each hour" : numbered("hour", cron.hours()));
    }
}
