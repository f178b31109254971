package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;

/**
 * The instants at which cron tasks run are the ones that Spring's {@link CronExpression} names, in the zones whose
 * clocks do the oddest things: none early, none twice, none lost. Weeks around those days in every build, with {@code
 * -Pfull} two years; from 2010 to 2030 with {@code -Pstress}.
 */
class HardDaysTest {

    private static final List<String> ZONES = List.of(
            "Europe/Berlin",
            "Africa/Cairo",
            "America/Sao_Paulo",
            "America/Santiago",
            "Pacific/Apia",
            "Australia/Lord_Howe");

    private static final Map<String, String> CRONS = Map.of(
            "hourly", "0 0 * * * *",
            "daily", "0 30 2 * * *",
            "midnight", "0 0 0 * * *",
            "last day", "0 0 0 L * *",
            "weekdays", "0 15 10 * * MON-FRI",
            "every minute of an hour", "0 * 0 * * *");

    static Stream<Arguments> zonesAndTimes() {
        if (Scale.of(0, 1, 1) == 0) {
            // A day that is left out, clocks that change by half an hour, and clocks that change at midnight.
            return Stream.of(
                    weeksIn("Pacific/Apia", "2011-12-16"),
                    weeksIn("Australia/Lord_Howe", "2023-03-20"),
                    weeksIn("Australia/Lord_Howe", "2023-09-18"),
                    weeksIn("Africa/Cairo", "2023-04-14"),
                    weeksIn("Africa/Cairo", "2023-10-13"));
        }
        // Apia leaves a day out in 2011, and Brazil changed its clocks then; the others do so in 2023.
        IntStream years = Scale.of(0, 1) > 0 ? IntStream.rangeClosed(2010, 2030) : IntStream.of(2011, 2023);
        return years.mapToObj(year -> LocalDate.of(year, 1, 1))
                .flatMap(from -> ZONES.stream().map(zone -> Arguments.of(ZoneId.of(zone), from, from.plusYears(1))));
    }

    private static Arguments weeksIn(String zone, String from) {
        LocalDate date = LocalDate.parse(from);
        return Arguments.of(ZoneId.of(zone), date, date.plusWeeks(4));
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Scale.of(1, 6, 6));
    }

    @ParameterizedTest
    @MethodSource("zonesAndTimes")
    void cronTasksRunWhenSpringSaysSo(ZoneId zone, LocalDate from, LocalDate to) {
        ZonedDateTime start = from.atStartOfDay(zone).minusSeconds(1);
        Instant end = to.atStartOfDay(zone).toInstant();
        Map<String, List<Instant>> seen = new LinkedHashMap<>();
        Map<String, List<Instant>> expected = new LinkedHashMap<>();
        try (VirtualTime time = VirtualTime.startingAt(start.toInstant(), zone)) {
            WheelTaskScheduler scheduler = time.newScheduler();
            CRONS.forEach((name, cron) -> {
                List<Instant> runs = new ArrayList<>();
                seen.put(name, runs);
                ScheduledFuture<?> ignored = scheduler.schedule(() -> runs.add(time.now()), new CronTrigger(cron));
                expected.put(name, namedBySpring(cron, start, end));
            });
            time.advanceTo(end);
        }
        seen.forEach((name, runs) -> assertThat(runs).as(name).isEqualTo(expected.get(name)));
    }

    private static List<Instant> namedBySpring(String cron, ZonedDateTime start, Instant end) {
        CronExpression expression = CronExpression.parse(cron);
        List<Instant> instants = new ArrayList<>();
        ZonedDateTime next = expression.next(start);
        while (next != null && !next.toInstant().isAfter(end)) {
            instants.add(next.toInstant());
            next = after(next, expression);
        }
        return instants;
    }

    /** Where clocks go back by half an hour, Spring names the last full hour again until that half hour has passed. */
    private static @Nullable ZonedDateTime after(ZonedDateTime last, CronExpression expression) {
        ZonedDateTime next = expression.next(last);
        for (int second = 1; next != null && !next.toInstant().isAfter(last.toInstant()); second++) {
            next = expression.next(last.plusSeconds(second));
        }
        return next;
    }

    /** What was not passed over by a jump runs on time; what was, not at all. Without the zone that has half hours. */
    @ParameterizedTest
    @MethodSource("seeds")
    void unskippedRunsTakePlaceOnceAndOnTime(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size() - 1)));
        Instant start = Instant.parse("2023-03-20T00:00:00Z");
        try (VirtualTime time = VirtualTime.startingAt(start, zone)) {
            WheelTaskScheduler scheduler = time.newScheduler();
            List<Instant> ran = new ArrayList<>();
            ScheduledFuture<?> ignored = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "cron",
                            () -> ran.add(time.now()),
                            TaskSchedule.trigger(new CronTrigger("0 */10 * * * *")),
                            TaskSettings.builder().missedRuns(MissedRuns.SKIP).build());
            List<Instant> expected = new ArrayList<>();
            Instant last = start;
            for (int i = 0; i < 200; i++) {
                Instant from = time.now();
                time.advanceBy(Duration.ofSeconds(random.nextInt(20_000)));
                for (Instant next = nextTenMinutes(from); !next.isAfter(time.now()); next = next.plusSeconds(600)) {
                    // What was there before a jump back does not come twice.
                    if (next.isAfter(last)) {
                        expected.add(next);
                        last = next;
                    }
                }
                time.jumpWallClock(Duration.ofSeconds(random.nextInt(-10_000, 10_000)));
                Instant pending = nextTenMinutes(last);
                Instant latest = passedOver(last, time.now());
                if (latest.equals(pending) && !time.now().isAfter(latest.plusSeconds(5))) {
                    // Late, but not by too much.
                    expected.add(time.now());
                }
                last = latest;
            }
            assertThat(ran).isEqualTo(expected).hasSizeGreaterThan(2_000);
        }
    }

    /** In all of these zones, ten minutes of the hour are ten minutes of the epoch's hour, also on hard days. */
    private static Instant nextTenMinutes(Instant after) {
        long seconds = after.getEpochSecond();
        return Instant.ofEpochSecond(seconds - Math.floorMod(seconds, 600) + 600);
    }

    /** Returns the instant that was passed over last: the one that had been armed, and what followed it. */
    private static Instant passedOver(Instant last, Instant now) {
        Instant latest = Instant.ofEpochSecond(now.getEpochSecond() - Math.floorMod(now.getEpochSecond(), 600));
        return latest.isAfter(last) ? latest : last;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void instantsComeOnceAndNeverEarlyDespiteClockChanges(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
        Instant start = Instant.parse("2023-03-20T00:00:00Z");
        try (VirtualTime time = VirtualTime.startingAt(start, zone)) {
            WheelTaskScheduler scheduler = time.newScheduler();
            List<Instant> meant = new ArrayList<>();
            WatchedTrigger trigger = new WatchedTrigger(new CronTrigger("0 */10 * * * *"));
            ScheduledFuture<?> ignored = scheduler.schedule(
                    () -> {
                        assertThat(time.now()).isAfterOrEqualTo(trigger.next);
                        meant.add(trigger.next);
                    },
                    trigger);
            for (int i = 0; i < 200; i++) {
                time.advanceBy(Duration.ofSeconds(random.nextInt(20_000)));
                time.jumpWallClock(Duration.ofSeconds(random.nextInt(-10_000, 10_000)));
            }
            time.advanceBy(Duration.ofDays(30));
            assertThat(scheduler.getFailedRuns()).isZero();
            assertThat(meant).hasSizeGreaterThan(4_000).doesNotHaveDuplicates().isSorted();
            assertThat(meant).allMatch(instant -> instant.getEpochSecond() % 600 == 0);
            // With the clock left alone, none is skipped.
            List<Instant> last = meant.subList(meant.size() - 3_000, meant.size());
            assertThat(Duration.between(last.get(0), last.get(2_999))).isEqualTo(Duration.ofMinutes(10 * 2_999L));
        }
    }

    /** Remembers which instant comes next. */
    private static final class WatchedTrigger implements Trigger {

        private final Trigger trigger;
        private volatile Instant next = Instant.MIN;

        WatchedTrigger(Trigger trigger) {
            this.trigger = trigger;
        }

        @Override
        public @Nullable Instant nextExecution(TriggerContext context) {
            Instant named = trigger.nextExecution(context);
            next = named == null ? Instant.MAX : named;
            return named;
        }
    }
}
