package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What the table says about runs that came in time, late, or not at all. */
class ReportTest {

    private static final Duration PERIOD = Duration.ofMillis(100);

    private Instant now = Instant.parse("2000-01-01T12:00:00Z");
    private final TaskBoard board = new TaskBoard(() -> now);
    private final TaskLog heartbeat = board.add(Report.HEARTBEAT, new Timetable.Every(PERIOD), Duration.ZERO);

    @Test
    void beatsInTimeAreARhythm() {
        heartbeat.scheduled();
        for (int beat = 0; beat < 10; beat++) {
            now = now.plusMillis(7);
            heartbeat.run();
            now = now.plus(PERIOD).minusMillis(7);
        }
        now = now.minusMillis(50);
        assertThat(text())
                .contains("The first 950 ms on the wheel")
                .containsPattern("heartbeat +every 100 ms +- +10 +10 +7 ms")
                .contains("kept its rhythm", "more than 7 ms late");
    }

    @Test
    void lateBeatIsShownWithItsDelay() {
        heartbeat.scheduled();
        now = now.plusMillis(2_510);
        heartbeat.run();
        assertThat(text())
                .containsPattern("heartbeat +every 100 ms +- +26 +1 +2.5 s")
                .contains("lost its rhythm", "at worst for 2.5 s");
    }

    @Test
    void lateBeatIsBlamedOnNobodyWhereNoSlowTaskHeldItUp() throws Exception {
        heartbeat.scheduled();
        TaskLog slow = board.add("slow", new Timetable.Once(Duration.ZERO), Duration.ofMillis(1));
        slow.scheduled();
        Thread other = new Thread(slow::run, "other");
        other.start();
        other.join();
        now = now.plusMillis(2_510);
        heartbeat.run();
        assertThat(text()).contains("lost its rhythm, at worst for 2.5 s.").doesNotContain("slow tasks", "machine");
    }

    @Test
    void heartbeatThatIsSwitchedOffHasNotRun() {
        heartbeat.scheduled();
        now = now.plusMillis(2_510);
        assertThat(text()).contains("The heartbeat has not run.").doesNotContain("rhythm", "machine");
    }

    @Test
    void lateBeatIsBlamedOnTheSlowTasksOfItsOnlyThread() {
        heartbeat.scheduled();
        TaskLog slow = board.add("slow", new Timetable.Once(Duration.ZERO), Duration.ofSeconds(3));
        slow.scheduled();
        Thread.currentThread().interrupt();
        slow.run();
        assertThat(Thread.interrupted()).isTrue();
        now = now.plusMillis(2_510);
        heartbeat.run();
        assertThat(text()).contains("slow tasks held it up, at worst for 2.5 s");
    }

    @Test
    void runThatStillWaitsIsAsLateAsItIsByNow() {
        heartbeat.scheduled();
        TaskLog reminder = board.add("reminder", new Timetable.Once(Duration.ofSeconds(1)), Duration.ZERO);
        reminder.scheduled();
        now = now.plusSeconds(4);
        assertThat(text()).containsPattern("reminder +once, after 1 s +- +1 +0 +3 s");
    }

    private String text() {
        return Report.of("the wheel", board.lines());
    }
}
