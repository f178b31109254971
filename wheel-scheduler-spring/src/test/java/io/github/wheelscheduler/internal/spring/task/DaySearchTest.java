package io.github.wheelscheduler.internal.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.Overlap;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskDay;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.FrozenTime;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/** The starts of a day are what going through each schedule by itself leads to. Time stands still. */
class DaySearchTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    /** Clocks go forward at one o'clock of the night that follows, and back in the other. */
    private static final Instant SPRING = Instant.parse("2026-03-28T22:03:20.5Z");

    private static final Instant AUTUMN = Instant.parse("2026-10-24T22:03:20.5Z");

    private static final Duration SLOT = Duration.ofMinutes(5);
    private static final Duration DAY = Duration.ofDays(1);
    private static final String NAME = "scheduler";

    private static final List<String> CRONS = List.of(
            "0 0 * * * *",
            "0 */7 * * * *",
            "30 15 2 * * *",
            "0 30 2 * * *",
            "0 0 3 * * SUN",
            "*/20 * * * * *",
            "20,40 * * ? * *",
            "@hourly",
            "0 10-50/20 * * * *",
            "7 3 * * * MON-FRI",
            "0 0 0 29 2 *",
            "15 30 1-4 * * *");

    private WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private TaskRegistry at(Instant now) {
        scheduler.shutdown();
        scheduler = new WheelTaskScheduler();
        scheduler.setTimeSource(new FrozenTime());
        scheduler.setClock(Clock.fixed(now, BERLIN));
        scheduler.initialize();
        return scheduler.getTaskRegistry();
    }

    private void schedule(String id, TaskSchedule schedule) {
        schedule(id, schedule, TaskSettings.NONE);
    }

    private void schedule(String id, TaskSchedule schedule, TaskSettings settings) {
        ScheduledFuture<?> ignored = scheduler.getTaskRegistry().schedule(id, () -> {}, schedule, settings);
        // Time stands still, so that what starts at once is the only run.
        awaitThat(() -> isThrough(scheduler.getTaskRegistry().get(id)));
    }

    private boolean isThrough(TaskInfo task) {
        Instant next = task.next();
        return task.state() != TaskInfo.State.RUNNING
                && (next == null || next.isAfter(scheduler.getClock().instant()));
    }

    private static Instant begin(Instant now) {
        return now.truncatedTo(ChronoUnit.HOURS);
    }

    private TaskDay day(Instant from, String... shown) {
        return TaskRegistry.day(
                Map.of(NAME, scheduler.getTaskRegistry()), TaskQuery.ALL, from, Map.of(NAME, List.of(shown)));
    }

    private static SortedMap<Integer, Long> slots(TaskDay day, String id) {
        return day.lines().stream()
                .filter(line -> line.id().equals(id))
                .findFirst()
                .orElseThrow()
                .slots();
    }

    /** Goes through the schedule, start by start. */
    private static List<Instant> startsOf(TaskInfo task, Instant from) {
        List<Instant> starts = new ArrayList<>();
        Instant next = task.next();
        while (next != null && next.isBefore(from.plus(DAY))) {
            if (!next.isBefore(from)) {
                starts.add(next);
            }
            TaskSchedule schedule = task.schedule();
            if (schedule instanceof TaskSchedule.FixedRate rate) {
                next = next.plus(rate.period());
            } else if (schedule instanceof TaskSchedule.FixedDelay delay) {
                next = next.plus(delay.delay());
            } else if (schedule instanceof TaskSchedule.Cron cron) {
                next = cron.toTrigger().nextExecution(after(next));
            } else if (schedule instanceof TaskSchedule.Calendar calendar && schedule.isCron()) {
                next = calendar.trigger().nextExecution(after(next));
            } else {
                next = null;
            }
        }
        return starts;
    }

    private static SimpleTriggerContext after(Instant start) {
        // A cron that says no zone goes by that of the clock.
        SimpleTriggerContext context = new SimpleTriggerContext(Clock.system(BERLIN));
        context.update(start, start, start);
        return context;
    }

    private static SortedMap<Integer, Long> slotsOf(List<Instant> starts, Instant from) {
        SortedMap<Integer, Long> slots = new TreeMap<>();
        starts.forEach(start ->
                slots.merge((int) (Duration.between(from, start).toNanos() / SLOT.toNanos()), 1L, Long::sum));
        return slots;
    }

    private static TaskSchedule any(RandomGenerator random, Instant now) {
        String cron = CRONS.get(random.nextInt(CRONS.size()));
        return switch (random.nextInt(7)) {
            case 0 -> TaskSchedule.fixedRate(Duration.ofMillis(1 + random.nextLong(10_000_000)));
            case 1 -> TaskSchedule.fixedRate(Duration.ofNanos(1_000_003_000L + random.nextInt(1_000)));
            case 2 -> TaskSchedule.fixedDelay(Duration.ofSeconds(1 + random.nextInt(100_000)));
            case 3 -> TaskSchedule.once(now.plusSeconds(1 + random.nextInt(7_200)));
            case 4 -> TaskSchedule.cron(cron);
            case 5 -> TaskSchedule.trigger(new CronTrigger(cron, ZoneId.of("America/New_York")));
            default ->
                new TaskSchedule.Cron(
                        cron,
                        BERLIN,
                        random.nextBoolean() ? Gap.SHIFT : Gap.SKIP,
                        random.nextBoolean() ? Overlap.FIRST : Overlap.SECOND);
        };
    }

    @Test
    void countsAreThoseOfGoingThroughEachSchedule() {
        Seed.play(random -> IntStream.range(0, Scale.of(4, 10, 100)).forEach(round -> {
            Instant now = random.nextBoolean() ? SPRING : AUTUMN;
            TaskRegistry registry = at(now);
            int tasks = 1 + random.nextInt(60);
            for (int i = 0; i < tasks; i++) {
                TaskSettings settings = TaskSettings.builder()
                        .jitter(random.nextInt(3) == 0 ? Duration.ofSeconds(40) : null)
                        .initialDelay(Duration.ofMillis(random.nextInt(400_000)))
                        .build();
                TaskSchedule schedule = any(random, now);
                boolean isPlain = !(schedule instanceof TaskSchedule.FixedRate);
                schedule("task" + i, schedule, isPlain && random.nextBoolean() ? TaskSettings.NONE : settings);
            }
            Instant from = begin(now).plusSeconds(random.nextInt(3) * 7_777L);
            String[] ids = registry.ids().toArray(String[]::new);
            TaskDay day = day(from, ids);
            SortedMap<Integer, Long> totals = new TreeMap<>();
            SortedMap<Long, Integer> bySecond = new TreeMap<>();
            for (String id : ids) {
                TaskInfo task = registry.get(id);
                List<Instant> starts = startsOf(task, from);
                SortedMap<Integer, Long> expected = slotsOf(starts, from);
                assertThat(slots(day, id))
                        .as("%s from %s: %s", task, from, starts)
                        .isEqualTo(expected);
                expected.forEach((slot, count) -> totals.merge(slot, count, Long::sum));
                if ((task.schedule().isCron() || !task.schedule().isRepeating())
                        && task.settings().jitter() == null) {
                    starts.forEach(start -> bySecond.merge(start.getEpochSecond(), 1, Integer::sum));
                }
            }
            assertThat(day.totals())
                    .isEqualTo(IntStream.range(0, 288)
                            .mapToObj(slot -> totals.getOrDefault(slot, 0L))
                            .toList());
            assertThat(day.totals()).isEqualTo(day(from).totals());
            assertThat(day.cut()).isFalse();
            assertThat(day.untold()).isZero();
            List<Integer> most = bySecond.values().stream()
                    .filter(count -> count > 1)
                    .sorted(Collections.reverseOrder())
                    .limit(10)
                    .toList();
            assertThat(day.together()).extracting(TaskDay.Together::count).isEqualTo(most);
            for (TaskDay.Together together : day.together()) {
                assertThat(bySecond).containsEntry(together.at().getEpochSecond(), together.count());
                assertThat(together.ids())
                        .hasSize(Math.min(10, together.count()))
                        .allSatisfy(id -> assertThat(startsOf(registry.get(id), from))
                                .extracting(Instant::getEpochSecond)
                                .contains(together.at().getEpochSecond()));
            }
        }));
    }

    /** The instants of each hour are then not an hour apart. */
    @Test
    void hourlyCronRunsWhereClocksChangeByHalfAnHour() {
        for (String night : List.of("2026-04-04T12:03:20.5Z", "2026-10-03T12:03:20.5Z")) {
            Instant now = Instant.parse(night);
            TaskRegistry registry = at(now);
            for (String cron : List.of("0 10 * * * *", "0 */20 * * * *", "*/20 * * * * *")) {
                schedule("task" + registry.size(), TaskSchedule.cron(cron, ZoneId.of("Australia/Lord_Howe")));
            }
            for (String id : registry.ids()) {
                List<Instant> starts = registry.upcoming(id, 5_000).stream()
                        .filter(start -> start.isBefore(begin(now).plus(DAY)))
                        .toList();
                assertThat(slots(day(begin(now), id), id)).isEqualTo(slotsOf(starts, begin(now)));
            }
        }
    }

    @Test
    void rateOfNanosecondsIsCountedByArithmetic() {
        at(SPRING);
        schedule("fast", TaskSchedule.fixedRate(Duration.ofNanos(1)), delay(Duration.ofMinutes(10)));
        TaskDay day = day(SPRING);
        assertThat(day.totals().subList(0, 2)).containsExactly(0L, 0L);
        assertThat(day.totals().subList(2, 288)).containsOnly(SLOT.toNanos());
        assertThat(day.cut()).isFalse();
    }

    @Test
    void rateOfCenturiesStartsOnce() {
        at(SPRING);
        for (int i = 0; i < 3; i++) {
            schedule("rare" + i, TaskSchedule.fixedRate(Duration.ofDays(1 << (10 * (i + 1)))), delay(SLOT));
        }
        assertThat(day(SPRING).totals().get(1)).isEqualTo(3);
        assertThat(sum(day(SPRING))).isEqualTo(3);
    }

    @Test
    void delayThatIsForeverStartsOnce() {
        // Time goes by, as a run that takes none adds nothing to the delay.
        scheduler.initialize();
        schedule("never again", TaskSchedule.fixedDelay(ChronoUnit.FOREVER.getDuration()));
        awaitThat(() -> scheduler.getTaskRegistry().get("never again").runs() == 1);
        TaskDay day = day(Instant.now());
        assertThat(sum(day)).isZero();
        assertThat(day.untold()).isZero();
    }

    @Test
    void triggerWithoutAPauseIsNotCountedBeyondItsNextStart() {
        at(SPRING);
        for (boolean isRate : new boolean[] {true, false}) {
            PeriodicTrigger trigger = new PeriodicTrigger(Duration.ZERO);
            trigger.setInitialDelay(SLOT);
            trigger.setFixedRate(isRate);
            schedule("endless " + isRate, TaskSchedule.trigger(trigger));
        }
        TaskDay day = day(SPRING);
        assertThat(day.totals().get(1)).isEqualTo(2);
        assertThat(sum(day)).isEqualTo(2);
        assertThat(day.untold()).isEqualTo(2);
        assertThat(scheduler.getTaskRegistry().upcoming("endless true", 5)).hasSize(1);
    }

    private static TaskSettings delay(Duration delay) {
        return TaskSettings.builder().initialDelay(delay).build();
    }

    private static long sum(TaskDay day) {
        return day.totals().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void pausedAndDisabledTasksDoNotStart() {
        TaskRegistry registry = at(SPRING);
        schedule("paused", TaskSchedule.cron("0 0 * * * *"));
        schedule(
                "disabled",
                TaskSchedule.fixedRate(SLOT),
                TaskSettings.builder().enabled(false).build());
        registry.pause("paused");
        TaskDay day = day(SPRING, "paused", "gone");
        assertThat(sum(day)).isZero();
        assertThat(day.lines()).singleElement().isEqualTo(new TaskDay.Line(NAME, "paused", new TreeMap<>(), false));
    }

    @Test
    void runThatGoesOnIsFollowedInPhaseOrAsIfItEndedNow() {
        TaskRegistry registry = at(SPRING);
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = registry.schedule("rate", gate, TaskSchedule.fixedRate(Duration.ofHours(5)));
        ignored = registry.schedule("delay", gate, TaskSchedule.fixedDelay(Duration.ofHours(5)));
        gate.awaitArrivals(2);
        awaitThat(() -> registry.get("rate").runningSince() != null
                && registry.get("delay").runningSince() != null);
        TaskDay day = day(SPRING, "rate", "delay");
        assertThat(slots(day, "rate")).isEqualTo(Map.of(60, 1L, 120, 1L, 180, 1L, 240, 1L));
        assertThat(slots(day, "delay")).isEqualTo(slots(day, "rate"));
        gate.open();
    }

    @Test
    void triggerOfAUsersOwnIsNotAskedAndItsNextStartCounts() {
        at(SPRING);
        AtomicInteger asked = new AtomicInteger();
        Trigger own = new Trigger() {
            @Override
            public Instant nextExecution(TriggerContext context) {
                asked.incrementAndGet();
                return SPRING.plus(SLOT);
            }

            @Override
            public int hashCode() {
                return asked.incrementAndGet();
            }
        };
        schedule("own", TaskSchedule.trigger(own));
        TaskDay day = day(SPRING, "own");
        assertThat(slots(day, "own")).isEqualTo(Map.of(1, 1L));
        assertThat(day.untold()).isEqualTo(1);
        assertThat(asked).hasValue(1);
    }

    @Test
    void cronWithTooManyStartsIsCut() {
        at(SPRING);
        schedule("each second", TaskSchedule.cron("* * * * * *"));
        schedule("hourly", TaskSchedule.cron("0 0 * * * *"));
        List<TaskSearch.Room> rooms = List.of(new TaskSearch.Room(NAME, book(), new TaskLook(1, Duration.ZERO)));
        TaskDay day = new DaySearch(
                        rooms, TaskQuery.ALL, SPRING, Map.of(NAME, List.of("each second", "hourly")), () -> false)
                .day();
        assertThat(day.cut()).isTrue();
        assertThat(day.lines()).extracting(TaskDay.Line::cut).containsExactly(true, false);
        assertThat(slots(day, "each second").values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(10_000);
        assertThat(slots(day, "hourly")).hasSize(24);
    }

    @Test
    void searchThatRunsOutOfTimeIsSaidToBeCut() {
        at(SPRING);
        IntStream.range(0, 200).forEach(i -> schedule("task" + i, TaskSchedule.cron("0 0 * * * *")));
        List<TaskSearch.Room> rooms = List.of(new TaskSearch.Room(NAME, book(), new TaskLook(1, Duration.ZERO)));
        TaskDay day = new DaySearch(rooms, TaskQuery.ALL, SPRING, Map.of(NAME, List.of("task1")), () -> true).day();
        assertThat(day.cut()).isTrue();
        assertThat(day.lines()).extracting(TaskDay.Line::cut).containsExactly(true);
        AtomicInteger looks = new AtomicInteger();
        day = new DaySearch(
                        rooms, TaskQuery.ALL, SPRING, Map.of(NAME, List.of("task1")), () -> looks.incrementAndGet() > 3)
                .day();
        assertThat(day.cut()).isTrue();
        assertThat(day.lines()).extracting(TaskDay.Line::cut).containsExactly(true);
    }

    private TaskStore book() {
        try {
            Field book = TaskRegistry.class.getDeclaredField("book");
            book.setAccessible(true);
            return (TaskStore) Objects.requireNonNull(book.get(scheduler.getTaskRegistry()));
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void queryDecidesWhatIsCounted() {
        at(SPRING);
        schedule("import", TaskSchedule.cron("0 0 * * * *"));
        schedule("export", TaskSchedule.cron("0 0 * * * *"));
        Map<String, TaskRegistry> registries = Map.of(NAME, scheduler.getTaskRegistry());
        TaskDay day = TaskRegistry.day(registries, TaskQuery.ALL.withText("imp"), SPRING, Map.of());
        assertThat(sum(day)).isEqualTo(24);
        assertThat(day.together()).isEmpty();
        assertThat(day(SPRING).together())
                .hasSize(10)
                .allSatisfy(one -> assertThat(one.ids()).containsExactlyInAnyOrder("import", "export"));
    }

    /** Crons with hours of their own are gone through start by start. */
    @ParameterizedTest
    @ValueSource(strings = {"0-22", "*"})
    void fiveThousandTasksTakeNoMoreThanTheirTime(String hours) {
        at(SPRING);
        LongStream.range(0, 5_000).forEach(i -> {
            ScheduledFuture<?> ignored = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "task" + i,
                            () -> {},
                            i % 2 == 0
                                    ? TaskSchedule.cron(i % 60 + " " + i / 60 % 60 + " " + hours + " * * *")
                                    : TaskSchedule.fixedRate(Duration.ofMillis(1_000 + i)),
                            delay(SLOT));
        });
        for (int i = 0; i < 5; i++) {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadCpuTime();
            TaskDay day = day(begin(SPRING));
            Duration taken = Duration.ofNanos(threads.getCurrentThreadCpuTime() - before);
            System.out.printf(
                    "> the day of 5,000 tasks, hours %s: %d ms%s%n", hours, taken.toMillis(), day.cut() ? ", cut" : "");
            assertThat(sum(day)).isGreaterThan(1_000_000);
            // What it says at the end is not counted.
            assertThat(taken).isLessThan(Duration.ofSeconds(1));
        }
    }
}
