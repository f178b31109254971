package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.SchedulerDescriptor.State;
import io.github.wheelscheduler.spring.watch.LatenessPercentile;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is said of a scheduler; by default, that of this test is well. */
class SchedulerFindingsTest {

    private long nanos;
    private final CountRises rises = new CountRises(() -> nanos);
    private final List<RunningTask> running = new ArrayList<>();
    private State state = State.RUNNING;
    private WheelSnapshot.State tickThread = WheelSnapshot.State.RUNNING;
    private Duration stuckFor = Duration.ZERO;
    private Duration longestOversleep = Duration.ofMillis(3);
    private long clockJumps = 7;
    private @Nullable Integer max = 256;
    private int active = 3;
    private long ready;
    private Duration oldestReady = Duration.ZERO;
    private LatenessPercentile p99 = new LatenessPercentile(Duration.ofMillis(1), Duration.ofMillis(2));
    private long full = 9;
    private long rejected = 5;
    private SchedulerDescriptor.@Nullable Group group;

    private static final Instant NOW = Instant.parse("2030-01-03T11:07:09Z");

    private SchedulerDescriptor.@Nullable Pause pause;

    private List<Finding> findings() {
        return findings(0);
    }

    /** Returns what is found so many seconds after the begin. */
    private List<Finding> findings(int seconds) {
        nanos = Duration.ofSeconds(seconds).toNanos();
        SchedulerDescriptor seen = new SchedulerDescriptor(
                "taskScheduler",
                state,
                Duration.ofNanos(16_384),
                new SchedulerDescriptor.TickThread(tickThread, stuckFor, 10, 9, longestOversleep, clockJumps),
                new SchedulerDescriptor.Workers(max, active, active),
                5,
                0,
                ready,
                oldestReady,
                null,
                new SchedulerDescriptor.Lateness(p99, p99, p99),
                new SchedulerDescriptor.Counts(20, 15, 0, rejected, 0, new SchedulerDescriptor.Skipped(0, 0, 0, full)),
                5,
                group,
                pause,
                null);
        return new SchedulerFindings(seen, () -> running, rises, NOW).all();
    }

    private List<String> texts() {
        return findings().stream()
                .map(finding -> finding.severity() + " " + finding.rule() + " " + finding.text())
                .toList();
    }

    private void isGroup() {
        group = new SchedulerDescriptor.Group("reports", 64, OnFull.DROP);
    }

    private void run(int times, String name, Duration... runningFor) {
        for (int i = 0; i < times; i++) {
            NamedTask task = () -> name;
            running.add(new RunningTask(task, Thread.currentThread(), i, runningFor[i % runningFor.length]));
        }
    }

    @Test
    void nothingIsSaidWhereAllIsWell() {
        assertThat(texts()).isEmpty();
    }

    @Test
    void matterOfCourseIsNotSaid() {
        active = 256;
        ready = 1;
        oldestReady = Duration.ofMillis(999);
        stuckFor = Duration.ofMillis(999);
        longestOversleep = Duration.ofMillis(999);
        p99 = new LatenessPercentile(Duration.ofMillis(999), Duration.ofMillis(999));
        assertThat(texts()).isEmpty();
    }

    @Test
    void allWorkersMayBeBusyWhileNothingWaits() {
        active = 256;
        run(256, "reports", Duration.ofHours(1));
        assertThat(texts()).isEmpty();
    }

    @Test
    void deadTickThreadIsSaid() {
        tickThread = WheelSnapshot.State.DEAD;
        assertThat(texts())
                .containsExactly(
                        "ERROR tickThread The tick thread has died: no task runs until the application restarts");
    }

    @ParameterizedTest
    @CsvSource({"1.5, WARNING, 1.5 s", "12.2, ERROR, 12 s"})
    void aTickThreadThatDoesNotGetOnIsSaid(String seconds, Severity severity, String said) {
        stuckFor = Duration.parse("PT" + seconds + "S");
        assertThat(texts()).containsExactly(severity + " tickThread The tick thread is " + said + " behind");
    }

    @Test
    void pauseIsSaidWithWhatWaits() {
        state = State.PAUSED;
        assertThat(texts()).containsExactly("WARNING state The scheduler is paused");
        ready = 12;
        oldestReady = Duration.ofSeconds(30);
        assertThat(texts()).containsExactly("WARNING state The scheduler is paused; 12 due runs are waiting");
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            -,    -,         The scheduler has been paused for 3 h
            anna, -,         Paused by anna for 3 h
            anna, deploying, Paused by anna for 3 h: deploying
            """)
    void pauseNamesWhoPausedAndWhy(@Nullable String by, @Nullable String reason, String text) {
        state = State.PAUSED;
        pause = new SchedulerDescriptor.Pause(NOW.minus(Duration.ofHours(3)), by, reason);
        assertThat(texts()).containsExactly("WARNING state " + text);
    }

    @ParameterizedTest
    @CsvSource({
        "HALTED, WARNING, The scheduler is halted: due tasks wait until its mode changes",
        "OFF, INFO, The scheduler is off: scheduled tasks do not run",
        "SHUT_DOWN, WARNING, The scheduler has shut down and accepts no tasks; restart the application"
    })
    void aSchedulerThatDoesNotRunIsSaid(State notRunning, Severity severity, String text) {
        state = notRunning;
        assertThat(texts()).containsExactly(severity + " state " + text);
    }

    @Test
    void machineThatStoodStillIsSaid() {
        longestOversleep = Duration.ofSeconds(12);
        assertThat(texts())
                .containsExactly(
                        "WARNING stoodStill The machine or the process stalled for 12 s in the last two minutes");
    }

    @Test
    void clockThatIsSetIsSaidForAWhile() {
        assertThat(findings()).isEmpty();
        clockJumps = 8;
        assertThat(findings(2))
                .singleElement()
                .satisfies(finding -> assertThat(finding.text())
                        .isEqualTo("The wall clock was set 1 time in the last 2 s; cron tasks follow it"));
        assertThat(findings(240)).hasSize(1);
        assertThat(findings(310)).isEmpty();
    }

    @Test
    void workersThatAreBusyWithOneTaskAreSaid() {
        active = 256;
        ready = 30;
        oldestReady = Duration.ofSeconds(4);
        run(100, "reports", Duration.ofSeconds(60));
        run(154, "reports~2", Duration.ofSeconds(41), Duration.ofSeconds(10), Duration.ofSeconds(41));
        run(2, "mails", Duration.ofSeconds(1));
        assertThat(texts())
                .containsExactly(
                        "WARNING workersBusy All 256 workers are busy (254 × reports 41 s at the median, 2 × mails 1 s "
                                + "at the median); 30 runs are waiting",
                        "WARNING queue 30 due runs are waiting for a worker, the longest for 4 s");
    }

    @Test
    void workersThatAreBusyWithSeveralTasksAreSaid() {
        isGroup();
        max = 4;
        active = 4;
        ready = 1;
        oldestReady = Duration.ofSeconds(14);
        run(2, "reports", Duration.ofSeconds(41));
        run(1, "a", Duration.ofSeconds(3));
        run(1, "b", Duration.ofSeconds(2));
        assertThat(texts())
                .containsExactly(
                        "ERROR workersBusy All 4 workers are busy (2 × reports 41 s at the median, a 3 s, b 2 s); 1 "
                                + "run is waiting",
                        "ERROR queue 1 due run has been waiting for a worker for 14 s");
        assertThat(findings()).extracting(Finding::group).containsOnly("reports");
    }

    @Test
    void longIdsDoNotCutTheSentence() {
        active = 256;
        ready = 1;
        oldestReady = Duration.ofSeconds(14);
        for (String end : List.of("a", "b", "c")) {
            run(80, "x".repeat(249) + end, Duration.ofSeconds(3));
        }
        String name = "…" + "x".repeat(78);
        assertThat(texts())
                .contains("ERROR workersBusy All 256 workers are busy (80 × " + name + "a 3 s at the median, 80 × "
                        + name + "b 3 s at the median, 80 × " + name + "c 3 s at the median); 1 run is waiting");
    }

    @Test
    void queueIsSaidWhereWorkersAreNotLimited() {
        max = null;
        ready = 2;
        oldestReady = Duration.ofSeconds(2);
        assertThat(texts()).containsExactly("WARNING queue 2 due runs are waiting for a worker, the longest for 2 s");
    }

    @Test
    void latenessIsSaidByItsShares() {
        p99 = new LatenessPercentile(Duration.ofMillis(20), Duration.ofMillis(4_100));
        assertThat(texts())
                .containsExactly(
                        "WARNING lateness In the last two minutes the slowest 1 % of runs waited at least 4.1 s "
                                + "for a worker");
    }

    @Test
    void latenessOfBothStagesIsSaidWhereBothAreLate() {
        p99 = new LatenessPercentile(Duration.ofSeconds(2), Duration.ofMillis(4_100));
        assertThat(texts())
                .containsExactly("WARNING lateness In the last two minutes the slowest 1 % of runs left the wheel at "
                        + "least 2 s late, and the slowest 1 % waited at least 4.1 s for a worker");
    }

    @Test
    void twoWorkersThatAreBusyAreBoth() {
        max = 2;
        active = 2;
        ready = 1;
        oldestReady = Duration.ofSeconds(3);
        run(1, "partner.b", Duration.ofMillis(3_600));
        run(1, "partner.c", Duration.ofMillis(3_600));
        assertThat(texts())
                .contains("WARNING workersBusy Both workers are busy (partner.b 3.6 s, partner.c 3.6 s); 1 run is "
                        + "waiting");
    }

    @Test
    void runsThatAFullGroupRefusesAreSaid() {
        isGroup();
        assertThat(findings()).isEmpty();
        full = 12;
        assertThat(findings(30)).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.ERROR);
            assertThat(finding.text()).isEqualTo("3 runs were skipped in the last 30 s because the group was full");
        });
    }

    @Test
    void tasksThatAreNotAcceptedAreSaid() {
        assertThat(findings()).isEmpty();
        rejected = 6;
        assertThat(findings(30))
                .extracting(Finding::text)
                .containsExactly("1 task was rejected in the last 30 s; the TaskRejectedException of each call "
                        + "names the reason");
    }

    @ParameterizedTest
    @EnumSource(names = {"DEAD", "RUNNING"})
    void theTickThreadIsSaidOnlyOfTheSchedulerThatHasIt(WheelSnapshot.State thread) {
        isGroup();
        tickThread = thread;
        stuckFor = Duration.ofMinutes(1);
        longestOversleep = Duration.ofMinutes(1);
        assertThat(texts()).isEmpty();
    }
}
