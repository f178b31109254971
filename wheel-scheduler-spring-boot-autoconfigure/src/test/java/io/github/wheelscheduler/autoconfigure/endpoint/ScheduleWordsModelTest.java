package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/** A reader who knows nothing but the words finds the instants that Spring finds. */
class ScheduleWordsModelTest {

    private static final int CRONS = 300;
    private static final int INSTANTS = 200;
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int SECONDS_PER_HOUR = 3_600;
    private static final LocalDateTime MONDAY = LocalDateTime.of(2024, 1, 1, 0, 0);

    private final long seed = Long.getLong("wheel.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void wordsLeadToTheInstantsOfTheExpression() {
        for (int i = 0; i < CRONS; i++) {
            String cron = "%s %s %s * * %s".formatted(field(0, 59), field(0, 59), field(0, 23), field(1, 7));
            String words = ScheduleWords.ofCron(cron);
            Reader reader = new Reader(words);
            CronExpression expression = CronExpression.parse(cron);
            LocalDateTime now = MONDAY.plusSeconds(random.nextInt(7 * SECONDS_PER_DAY));
            for (int j = 0; j < INSTANTS; j++) {
                LocalDateTime next = expression.next(now);
                assertThat(reader.next(now))
                        .as("%s is said to be: %s, after %s; seed %s", cron, words, now, seed)
                        .isEqualTo(next);
                now = next;
            }
        }
    }

    /** Returns what a field may be, in one of its simple forms. */
    private String field(int first, int last) {
        int some = first + random.nextInt(last - first + 1);
        int later = some + random.nextInt(last - some + 1);
        int step = 1 + random.nextInt((last - first) / 2);
        return switch (random.nextInt(7)) {
            case 0 -> "*";
            case 1 -> some + "," + later;
            case 2 -> some + "-" + later;
            case 3 -> "*/" + step;
            case 4 -> some + "-" + later + "/" + step;
            case 5 -> some + "/" + step;
            default -> String.valueOf(some);
        };
    }

    /** Understands the words that say days of the week and times of a day. */
    private static final class Reader {

        private static final Pattern PREFIX = Pattern.compile("every ([A-Zwd].*?) (at .*)");
        private static final Pattern SUFFIX =
                Pattern.compile("(.*?) (on weekdays|(?:on|from) (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun).*)");
        private static final Pattern EVERY = Pattern.compile("every (?:(\\d+) )?(second|s|minute|hour)s?(.*)");
        private static final Pattern RANGE = Pattern.compile(" from ([\\d:]+) to ([\\d:]+)");
        private static final String NUMBERS = "([\\dandto, ]*?(?: in steps of \\d+)?)";
        private static final Pattern LISTS = Pattern.compile(
                "(?:seconds? " + NUMBERS + " of )?(?:minutes? " + NUMBERS + "|each minute)(?: of (.*))?");

        private final Set<DayOfWeek> days;
        private final BitSet times = new BitSet(SECONDS_PER_DAY);

        Reader(String words) {
            Matcher prefix = PREFIX.matcher(words);
            Matcher suffix = SUFFIX.matcher(words);
            if (prefix.matches() && !prefix.group(1).matches("\\d.*|second|minute|hour")) {
                days = days(prefix.group(1));
                readTimes(prefix.group(2));
            } else if (suffix.matches()) {
                days = days(suffix.group(2));
                readTimes(suffix.group(1));
            } else {
                days = EnumSet.allOf(DayOfWeek.class);
                readTimes(words);
            }
        }

        private static Set<DayOfWeek> days(String words) {
            if (words.equals("day")) {
                return EnumSet.allOf(DayOfWeek.class);
            }
            if (words.contains("weekday")) {
                return EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY);
            }
            Set<DayOfWeek> named = EnumSet.noneOf(DayOfWeek.class);
            for (String word : words.split("[, ]+", -1)) {
                for (DayOfWeek day : DayOfWeek.values()) {
                    if (word.toUpperCase(Locale.ROOT).startsWith(day.name())) {
                        named.add(day);
                    }
                }
            }
            if (words.contains("from ")) {
                DayOfWeek[] ends = named.toArray(DayOfWeek[]::new);
                return EnumSet.range(ends[0], ends[1]);
            }
            return named;
        }

        private void readTimes(String words) {
            Matcher every = EVERY.matcher(words);
            if (every.matches()) {
                readEvery(every);
            } else if (words.matches("at [\\d:]+(,| and |$).*")) {
                for (String time : words.substring("at ".length()).split(", | and ", -1)) {
                    times.set(second(time));
                }
            } else {
                readLists(words.substring("at ".length()));
            }
        }

        private void readEvery(Matcher every) {
            int number = every.group(1) == null ? 1 : Integer.parseInt(every.group(1));
            int unit = every.group(2).startsWith("s") ? 1 : every.group(2).equals("minute") ? 60 : SECONDS_PER_HOUR;
            String rest = every.group(3);
            Matcher range = RANGE.matcher(rest);
            if (range.matches()) {
                set(second(range.group(1)), second(range.group(2)), number * unit);
                return;
            }
            int first = 0;
            Matcher at = Pattern.compile(" at (?:minute (\\d+))?(?: and )?(?:second (\\d+))?(.*)")
                    .matcher(rest);
            if (at.matches()) {
                first = (at.group(1) == null ? 0 : 60 * Integer.parseInt(at.group(1)))
                        + (at.group(2) == null ? 0 : Integer.parseInt(at.group(2)));
                rest = at.group(3);
            }
            set(first, SECONDS_PER_DAY - 1, number * unit);
            if (rest.startsWith(" in hour")) {
                keep(SECONDS_PER_HOUR, 24, numbers(rest.substring(" in hour".length())));
            } else if (rest.startsWith(" in minute")) {
                Matcher lists = LISTS.matcher(rest.substring(" in ".length()));
                assertThat(lists.matches()).as(rest).isTrue();
                keep(60, 60, numbers(lists.group(2)));
                keepHours(lists.group(3));
            } else {
                assertThat(rest).isEmpty();
            }
        }

        private void readLists(String words) {
            Matcher lists = LISTS.matcher(words);
            assertThat(lists.matches()).as(words).isTrue();
            times.set(0, SECONDS_PER_DAY);
            keep(1, 60, lists.group(1) == null ? numbers("0") : numbers(lists.group(1)));
            if (lists.group(2) != null) {
                keep(60, 60, numbers(lists.group(2)));
            }
            if (lists.group(3) != null) {
                keepHours(lists.group(3));
            }
        }

        private void keepHours(String words) {
            if (!words.equals("each hour")) {
                assertThat(words).startsWith("hour");
                keep(SECONDS_PER_HOUR, 24, numbers(words.substring("hour".length())));
            }
        }

        private void set(int first, int last, int step) {
            IntStream.iterate(first, second -> second <= last, second -> second + step)
                    .forEach(times::set);
        }

        /** Keeps the times whose number of the unit is one of those. */
        private void keep(int unit, int units, BitSet numbers) {
            BitSet kept = new BitSet(SECONDS_PER_DAY);
            times.stream().filter(second -> numbers.get(second / unit % units)).forEach(kept::set);
            times.and(kept);
        }

        private static BitSet numbers(String words) {
            BitSet numbers = new BitSet();
            Matcher steps =
                    Pattern.compile("s? ?(\\d+) to (\\d+) in steps of (\\d+)").matcher(words);
            if (steps.matches()) {
                int step = Integer.parseInt(steps.group(3));
                for (int i = Integer.parseInt(steps.group(1)); i <= Integer.parseInt(steps.group(2)); i += step) {
                    numbers.set(i);
                }
                return numbers;
            }
            for (String part : words.replaceFirst("^s? ?", "").split(", | and ", -1)) {
                String[] ends = part.split(" to ", -1);
                numbers.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
            }
            return numbers;
        }

        private static int second(String time) {
            return LocalTime.parse((time.length() == 4 || time.length() == 7 ? "0" : "") + time)
                    .toSecondOfDay();
        }

        LocalDateTime next(LocalDateTime now) {
            LocalDateTime midnight = now.truncatedTo(ChronoUnit.DAYS);
            int from = now.toLocalTime().toSecondOfDay() + 1;
            for (int day = 0; day <= 7; day++) {
                LocalDateTime begin = midnight.plusDays(day);
                int found = times.nextSetBit(day == 0 ? from : 0);
                if (found >= 0 && days.contains(begin.getDayOfWeek())) {
                    return begin.plusSeconds(found);
                }
            }
            throw new AssertionError("no time is named");
        }
    }
}
