package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.Overlap;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.util.DefaultTimeZone;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronTrigger;

/** In which zone a cron is meant, where the machine, the scheduler and the task have one each. */
@DefaultTimeZone("Asia/Tokyo")
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class CronZonesTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
    private static final String AT_FIVE = "0 0 5 * * *";
    private static final String AT_SEVEN = "0 0 7 * * *";
    private static final TaskSettings SHIFT =
            TaskSettings.builder().gap(Gap.SHIFT).build();
    private static final TaskSettings IN_NEW_YORK =
            TaskSettings.builder().zone(NEW_YORK).build();

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();

    @BeforeEach
    void initialize() {
        scheduler.setClock(Clock.system(BERLIN));
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private void schedule(String name, TaskSchedule schedule, TaskSettings settings) {
        registry.schedule(name, () -> {}, schedule, settings);
    }

    private void assertThatItRuns(String id, int hour, ZoneId zone) {
        assertThatItRuns(registry, id, hour, zone);
    }

    private static void assertThatItRuns(TaskRegistry registry, String id, int hour, ZoneId zone) {
        TaskInfo task = registry.get(id);
        assertThat(Objects.requireNonNull(task.next()).atZone(zone).toLocalTime())
                .isEqualTo(LocalTime.of(hour, 0));
        assertThat(task.schedule().zone()).isEqualTo(zone);
    }

    @Test
    void cronWithoutAZoneIsMeantInTheZoneOfTheScheduler() {
        schedule("cron", TaskSchedule.cron(AT_FIVE), TaskSettings.NONE);
        schedule("trigger", TaskSchedule.trigger(new CronTrigger(AT_FIVE)), TaskSettings.NONE);
        scheduler.schedule((Named) () -> "spring", new CronTrigger(AT_FIVE));

        assertThatItRuns("cron", 5, BERLIN);
        assertThatItRuns("trigger", 5, BERLIN);
        assertThatItRuns("spring", 5, BERLIN);
    }

    @Test
    void zoneThatIsGivenGoesOverThatOfTheScheduler() {
        schedule("cron", TaskSchedule.cron(AT_FIVE, NEW_YORK), TaskSettings.NONE);
        schedule("trigger", TaskSchedule.trigger(new CronTrigger(AT_FIVE, NEW_YORK)), TaskSettings.NONE);
        schedule("open", TaskSchedule.trigger(new CronTrigger(AT_FIVE), NEW_YORK), TaskSettings.NONE);

        assertThatItRuns("cron", 5, NEW_YORK);
        assertThatItRuns("trigger", 5, NEW_YORK);
        assertThatItRuns("open", 5, NEW_YORK);
    }

    @Test
    void daylightSavingNeverChangesTheZone() {
        TaskSettings second = TaskSettings.builder().overlap(Overlap.SECOND).build();
        schedule("cron", TaskSchedule.cron(AT_FIVE), SHIFT);
        schedule("trigger", TaskSchedule.trigger(new CronTrigger(AT_FIVE)), second);
        schedule("zoned", TaskSchedule.trigger(new CronTrigger(AT_FIVE, NEW_YORK)), SHIFT);

        assertThatItRuns("cron", 5, BERLIN);
        assertThatItRuns("trigger", 5, BERLIN);
        assertThatItRuns("zoned", 5, NEW_YORK);
    }

    @Test
    void zoneOfTheSettingsGoesOverAll() {
        schedule("cron", TaskSchedule.cron(AT_FIVE), IN_NEW_YORK);
        schedule("zoned", TaskSchedule.cron(AT_FIVE, BERLIN), IN_NEW_YORK);
        schedule("trigger", TaskSchedule.trigger(new CronTrigger(AT_FIVE, BERLIN)), IN_NEW_YORK);

        assertThatItRuns("cron", 5, NEW_YORK);
        assertThatItRuns("zoned", 5, NEW_YORK);
        assertThatItRuns("trigger", 5, NEW_YORK);
        registry.retime("cron", TaskSchedule.cron(AT_SEVEN));
        registry.retime("zoned", TaskSchedule.cron(AT_SEVEN, BERLIN));
        assertThatItRuns("cron", 7, NEW_YORK);
        assertThatItRuns("zoned", 7, NEW_YORK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"America/New_York", "+05:30", "GMT+09:00", "UTC-03:30"})
    void cronThatIsRetimedWithoutAZoneKeepsTheOneItHad(String name) {
        ZoneId zone = ZoneId.of(name);
        schedule("cron", TaskSchedule.cron(AT_FIVE, zone), TaskSettings.NONE);
        schedule("trigger", TaskSchedule.trigger(new CronTrigger(AT_FIVE, zone)), SHIFT);
        scheduler.schedule((Named) () -> "spring", new CronTrigger(AT_FIVE, zone));

        registry.retime("cron", TaskSchedule.cron(AT_SEVEN));
        registry.retime("trigger", TaskSchedule.trigger(new CronTrigger(AT_SEVEN)));
        registry.retime("spring", TaskSchedule.cron(AT_SEVEN));

        assertThatItRuns("cron", 7, zone);
        assertThatItRuns("trigger", 7, zone);
        assertThatItRuns("spring", 7, zone);
    }

    @Test
    void cronOfTheSettingsKeepsTheZoneThatIsWritten() {
        TaskSettings atSeven = TaskSettings.builder().cron(AT_SEVEN).build();
        schedule("zoned", TaskSchedule.trigger(new CronTrigger(AT_FIVE, NEW_YORK)), atSeven);
        schedule("open", TaskSchedule.cron(AT_FIVE), atSeven);
        schedule("rate", TaskSchedule.fixedRate(Duration.ofHours(1)), atSeven);

        assertThatItRuns("zoned", 7, NEW_YORK);
        assertThatItRuns("open", 7, BERLIN);
        assertThatItRuns("rate", 7, BERLIN);
    }

    @Test
    void rateRetimedToACronIsInTheZoneOfTheScheduler() {
        schedule("rate", TaskSchedule.fixedRate(Duration.ofHours(1)), TaskSettings.NONE);
        registry.retime("rate", TaskSchedule.cron(AT_SEVEN));
        assertThatItRuns("rate", 7, BERLIN);
        registry.retime("rate", TaskSchedule.cron(AT_FIVE, NEW_YORK));
        assertThatItRuns("rate", 5, NEW_YORK);
    }

    @Test
    void groupHasTheZoneOfItsScheduler() {
        WheelTaskScheduler group = new WheelTaskScheduler();
        group.setGroupOf(scheduler, "group", 8, OnFull.WAIT);
        group.initialize();
        group.getTaskRegistry().schedule("cron", () -> {}, TaskSchedule.cron(AT_FIVE));
        assertThatItRuns(group.getTaskRegistry(), "cron", 5, BERLIN);
        group.shutdown();
    }

    /** Does nothing, under a name. */
    private interface Named extends NamedTask, Runnable {

        @Override
        default void run() {}
    }
}
