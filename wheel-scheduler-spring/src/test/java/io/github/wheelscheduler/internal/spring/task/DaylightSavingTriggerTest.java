package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.Overlap;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

class DaylightSavingTriggerTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static List<String> instants(DaylightSavingTrigger trigger, String from, int number) {
        List<String> instants = new ArrayList<>();
        Instant next = Instant.parse(from);
        for (int i = 0; i < number && next != null; i++) {
            next = trigger.next(next);
            instants.add(String.valueOf(next));
        }
        return instants;
    }

    @ParameterizedTest
    @CsvSource({"SKIP, 2030-04-01T00:30:00Z, 2030-04-02T00:30:00Z", "SHIFT, 2030-03-31T01:30:00Z, 2030-04-01T00:30:00Z"
    })
    void halfPastTwoThatDoesNotExistInBerlin(Gap gap, String first, String second) {
        DaylightSavingTrigger trigger = new DaylightSavingTrigger("0 30 2 * * *", BERLIN, gap, Overlap.FIRST);
        assertThat(instants(trigger, "2030-03-30T12:00:00Z", 2)).containsExactly(first, second);
    }

    @ParameterizedTest
    @CsvSource({
        "FIRST, 2030-10-27T00:30:00Z, 2030-10-28T01:30:00Z",
        "SECOND, 2030-10-27T01:30:00Z, 2030-10-28T01:30:00Z",
        "BOTH, 2030-10-27T00:30:00Z, 2030-10-27T01:30:00Z"
    })
    void halfPastTwoThatComesTwiceInBerlin(Overlap overlap, String first, String second) {
        DaylightSavingTrigger trigger = new DaylightSavingTrigger("0 30 2 * * *", BERLIN, Gap.SKIP, overlap);
        assertThat(instants(trigger, "2030-10-26T12:00:00Z", 2)).containsExactly(first, second);
    }

    @Test
    void timeThatIsShiftedOntoAnotherOneComesOnce() {
        DaylightSavingTrigger trigger = new DaylightSavingTrigger("0 30 2,3 * * *", BERLIN, Gap.SHIFT, Overlap.FIRST);
        assertThat(instants(trigger, "2030-03-30T12:00:00Z", 3))
                .containsExactly("2030-03-31T01:30:00Z", "2030-04-01T00:30:00Z", "2030-04-01T01:30:00Z");
    }

    @Test
    void dayThatApiaLeftOutIsShiftedToTheNextOne() {
        DaylightSavingTrigger trigger =
                new DaylightSavingTrigger("0 0 12 30 * *", ZoneId.of("Pacific/Apia"), Gap.SHIFT, Overlap.FIRST);
        assertThat(instants(trigger, "2011-12-01T00:00:00Z", 1)).containsExactly("2011-12-30T22:00:00Z");
    }

    @Test
    void cronThatNamesNothingNamesNothing() {
        DaylightSavingTrigger trigger = new DaylightSavingTrigger("0 0 2 30 2 *", BERLIN, Gap.SHIFT, Overlap.BOTH);
        assertThat(trigger.next(Instant.parse("2030-01-01T00:00:00Z"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0 30 2 * * *", "0  */5 2 * * *", "0 0 9-17 * * *", "0 0 0 L * *", "@daily", "0 0/5 2 * * *"})
    void hoursByNumberAreFixed(String expression) {
        assertThat(DaylightSavingTrigger.hasFixedHours(expression)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 30 * * * *", "0  0 * * * *", "0 0 */2 * * *", "0 0 0-23 * * *", "@hourly"})
    void hoursOfEveryKindAreNot(String expression) {
        assertThat(DaylightSavingTrigger.hasFixedHours(expression)).isFalse();
    }

    @Test
    void springSkipsAndTakesTheFirst() {
        for (int day = 1; day <= 365; day++) {
            Instant from = LocalDateTime.of(2030, 1, 1, 0, 0).plusDays(day).toInstant(ZoneOffset.UTC);
            SimpleTriggerContext context = new SimpleTriggerContext();
            context.update(from, from, from);
            DaylightSavingTrigger trigger = new DaylightSavingTrigger("0 30 2 * * *", BERLIN, Gap.SKIP, Overlap.FIRST);
            assertThat(trigger.nextExecution(context))
                    .isEqualTo(new CronTrigger("0 30 2 * * *", BERLIN).nextExecution(context));
        }
    }

    static Stream<Long> seeds() {
        return Stream.iterate(1L, seed -> seed + 1).limit(150);
    }

    /** Against all local times of the year, put through the same policies one by one. */
    @ParameterizedTest
    @MethodSource("seeds")
    void randomCronsNameWhatTheirLocalTimesSay(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> zones = List.of(
                "Europe/Berlin",
                "Africa/Cairo",
                "America/Sao_Paulo",
                "America/Santiago",
                "Pacific/Apia",
                "Australia/Lord_Howe");
        ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
        Gap gap = List.of(Gap.SKIP, Gap.SHIFT).get(random.nextInt(2));
        Overlap overlap = List.of(Overlap.FIRST, Overlap.SECOND, Overlap.BOTH).get(random.nextInt(3));
        int hour = random.nextInt(24);
        String hours = random.nextBoolean() ? hour + "" : hour + "," + (hour + 1) % 24;
        String minutes = random.nextBoolean() ? random.nextInt(60) + "" : "*/" + (10 + random.nextInt(20));
        String days = random.nextBoolean() ? "*" : "1-15";
        String expression = "0 " + minutes + " " + hours + " " + days + " * *";
        LocalDateTime start = LocalDateTime.of(random.nextBoolean() ? 2011 : 2023, 1, 1, 0, 0);
        NavigableSet<Instant> expected = expected(expression, zone, gap, overlap, start);

        DaylightSavingTrigger trigger = new DaylightSavingTrigger(expression, zone, gap, overlap);
        Instant from = start.atZone(zone).toInstant();
        Instant end = start.plusYears(1).atZone(zone).toInstant();
        List<Instant> named = new ArrayList<>();
        Instant next = trigger.next(from);
        while (next != null && next.isBefore(end)) {
            named.add(next);
            next = trigger.next(next);
        }
        assertThat(named)
                .as("%s in %s, %s, %s", expression, zone, gap, overlap)
                .containsExactlyElementsOf(expected.subSet(from, false, end, false));
        // From between, too.
        for (int i = 0; i < 500; i++) {
            Instant between = from.plusSeconds(random.nextLong(360L * 86_400));
            Instant higher = expected.higher(between);
            if (higher != null && higher.isBefore(end)) {
                assertThat(trigger.next(between)).isEqualTo(higher);
            }
        }
    }

    private static NavigableSet<Instant> expected(
            String expression, ZoneId zone, Gap gap, Overlap overlap, LocalDateTime start) {
        CronExpression cron = CronExpression.parse(expression);
        NavigableSet<Instant> expected = new TreeSet<>();
        @Nullable LocalDateTime local = cron.next(start.minusDays(2));
        while (local != null && local.isBefore(start.plusYears(1).plusDays(2))) {
            List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
            ZoneOffsetTransition transition = zone.getRules().getTransition(local);
            if (offsets.size() == 1) {
                expected.add(local.toInstant(offsets.get(0)));
            } else if (offsets.isEmpty() && gap == Gap.SHIFT) {
                expected.add(local.toInstant(transition.getOffsetBefore()));
            } else if (offsets.size() == 2) {
                if (overlap != Overlap.SECOND) {
                    expected.add(local.toInstant(offsets.get(0)));
                }
                if (overlap != Overlap.FIRST) {
                    expected.add(local.toInstant(offsets.get(1)));
                }
            }
            local = cron.next(local);
        }
        return expected;
    }
}
