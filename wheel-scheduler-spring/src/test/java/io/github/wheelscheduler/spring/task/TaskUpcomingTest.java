package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.testing.FrozenTime;
import io.github.wheelscheduler.testing.Gate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/**
 * The next starts of a task, also as they would be. Time stands still: it is half past nine in the night before clocks
 * go forward.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class TaskUpcomingTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Instant NOW = Instant.parse("2026-03-28T20:30:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String ID = "task";

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();

    @BeforeEach
    void initialize() {
        scheduler.setTimeSource(new FrozenTime());
        scheduler.setClock(Clock.fixed(NOW, BERLIN));
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private void schedule(TaskSchedule schedule) {
        registry.schedule(ID, () -> {}, schedule);
    }

    private static Instant at(String time) {
        return Instant.parse("2026-03-" + time + ":00Z");
    }

    /** As a cron that is asked again after each run names them. */
    private static List<Instant> named(Trigger trigger, int most) {
        List<Instant> named = new ArrayList<>();
        Instant last = NOW;
        for (int i = 0; i < most; i++) {
            SimpleTriggerContext context = new SimpleTriggerContext(last, last, last);
            last = Objects.requireNonNull(trigger.nextExecution(context));
            named.add(last);
        }
        return named;
    }

    @Test
    void cronStartsByTheClockOfItsZone() {
        schedule(TaskSchedule.cron("0 0 9 * * *"));
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("29T07:00"), at("30T07:00"), at("31T07:00"));
        assertThat(registry.upcoming(ID, 1)).containsExactly(registry.get(ID).next());
        assertThat(registry.upcoming(ID, 0)).isEmpty();
    }

    @Test
    void cronStartsByWhatIsSetForDaysOnWhichClocksChange() {
        TaskSettings shifted = TaskSettings.builder().gap(Gap.SHIFT).build();
        registry.schedule(ID, () -> {}, TaskSchedule.cron("0 30 2 * * *"), shifted);
        registry.schedule("skipped", () -> {}, TaskSchedule.cron("0 30 2 * * *", BERLIN));
        assertThat(registry.upcoming(ID, 2)).containsExactly(at("29T01:30"), at("30T00:30"));
        assertThat(registry.upcoming("skipped", 20)).isEqualTo(named(new CronTrigger("0 30 2 * * *", BERLIN), 20));
    }

    @Test
    void rateStartsInPhase() {
        registry.schedule(
                ID,
                () -> {},
                TaskSchedule.fixedRate(HOUR),
                TaskSettings.builder().initialDelay(Duration.ofMinutes(7)).build());
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("28T20:37"), at("28T21:37"), at("28T22:37"));
        assertThat(registry.upcoming(ID, 300)).hasSize(300);
    }

    @Test
    void rateStartsInPhaseAfterTheRunThatGoesOn() {
        Gate gate = new Gate();
        registry.schedule(ID, gate, TaskSchedule.fixedRate(HOUR));
        gate.awaitArrivals(1);
        assertThat(registry.upcoming(ID, 2)).containsExactly(at("28T21:30"), at("28T22:30"));
        gate.open();
    }

    @Test
    void onlyTheNextStartOfADelayIsKnown() {
        Gate gate = new Gate();
        registry.schedule(ID, gate, TaskSchedule.fixedDelay(HOUR));
        gate.awaitArrivals(1);
        assertThat(registry.upcoming(ID, 3)).isEmpty();
        gate.open();
        awaitThat(() -> registry.get(ID).runs() == 1);
        awaitThat(() -> registry.upcoming(ID, 3).equals(List.of(at("28T21:30"))));
    }

    @Test
    void oneTimeTaskStartsOnceAndADisabledOneNever() {
        schedule(TaskSchedule.once(at("29T12:00")));
        registry.schedule(
                "disabled",
                () -> {},
                TaskSchedule.fixedRate(HOUR),
                TaskSettings.builder().enabled(false).build());
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("29T12:00"));
        assertThat(registry.upcoming("disabled", 3)).isEmpty();
        registry.pause(ID);
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("29T12:00"));
    }

    @Test
    void triggerOfAUsersOwnIsNotAskedForThis() {
        AtomicInteger asked = new AtomicInteger();
        Trigger own = context -> {
            asked.incrementAndGet();
            return at("29T12:00");
        };
        schedule(TaskSchedule.trigger(own));
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("29T12:00"));
        assertThat(registry.preview(ID, TaskSchedule.trigger(own), 3)).isEmpty();
        assertThat(asked).hasValue(1);
    }

    @Test
    void cronOfAUsersOwnIsNotAskedEither() {
        AtomicInteger asked = new AtomicInteger();
        schedule(TaskSchedule.trigger(new CronTrigger("0 0 * * * *") {
            @Override
            public Instant nextExecution(TriggerContext context) {
                asked.incrementAndGet();
                return at("29T12:00");
            }
        }));
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("29T12:00"));
        assertThat(asked).hasValue(1);
    }

    @Test
    void springsPeriodicTriggerIsARate() {
        PeriodicTrigger trigger = new PeriodicTrigger(HOUR);
        trigger.setFixedRate(true);
        trigger.setInitialDelay(Duration.ofMinutes(1));
        schedule(TaskSchedule.trigger(trigger));
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("28T20:31"), at("28T21:31"), at("28T22:31"));
        assertThat(registry.preview(ID, TaskSchedule.trigger(trigger), 2))
                .containsExactly(at("28T20:31"), at("28T21:31"));
    }

    @Test
    void previewIsWhatTheTaskStartsAtOnceItIsRetimed() {
        schedule(TaskSchedule.cron("0 0 9 * * *", ZoneId.of("Asia/Tokyo")));
        for (TaskSchedule other : List.of(
                TaskSchedule.cron("0 0 12 * * *"),
                TaskSchedule.cron("0 30 2 * * *", BERLIN),
                TaskSchedule.fixedRate(Duration.ofSeconds(90)),
                TaskSchedule.fixedDelay(HOUR),
                TaskSchedule.once(at("30T00:00")))) {
            TaskSchedule before = registry.get(ID).schedule();
            List<Instant> preview = registry.preview(ID, other, 5);
            assertThat(preview).isNotEmpty();
            assertThat(registry.get(ID).schedule()).isSameAs(before);
            registry.retime(ID, other);
            assertThat(registry.upcoming(ID, 5)).isEqualTo(preview);
        }
    }

    @Test
    void scheduleOfTheCodeIsKnownWhileTheTaskIsReTimed() {
        schedule(TaskSchedule.fixedRate(HOUR));
        assertThat(registry.get(ID).configured()).isNull();
        registry.retime(ID, TaskSchedule.cron("0 0 9 * * *"));
        assertThat(registry.get(ID).configured()).isEqualTo(TaskSchedule.fixedRate(HOUR));
        registry.reset(ID);
        assertThat(registry.get(ID).configured()).isNull();
    }

    @Test
    void rateOfCenturiesHasNoSecondStart() {
        registry.schedule(
                ID,
                () -> {},
                TaskSchedule.fixedRate(Duration.ofDays(1_000_000_000)),
                TaskSettings.builder().initialDelay(HOUR).build());
        assertThat(registry.upcoming(ID, 3)).containsExactly(at("28T21:30"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.upcoming(ID, -1))
                .withMessage("most must not be negative, was -1");
    }
}
