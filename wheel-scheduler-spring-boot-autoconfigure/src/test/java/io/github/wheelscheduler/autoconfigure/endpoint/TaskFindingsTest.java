package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.spring.task.TaskSurvey;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said of tasks, and of what else is wrong beside them. */
class TaskFindingsTest {

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicBoolean waits = new AtomicBoolean();

    @BeforeEach
    void start() {
        scheduler.initialize();
    }

    @AfterEach
    void stop() {
        gate.countDown();
        scheduler.shutdown();
    }

    private TaskRegistry registry() {
        return scheduler.getTaskRegistry();
    }

    private void schedule(String id, Runnable task, TaskSettings settings) {
        TaskSchedule yearly = TaskSchedule.cron("0 0 0 1 1 *");
        ScheduledFuture<?> unused = registry().schedule(id, task, yearly, settings);
    }

    private void runOften(String id, int times) {
        for (int i = 1; i <= times; i++) {
            int runs = i;
            registry().trigger(id);
            awaitThat(() -> assertThat(registry().get(id))
                    .satisfies(task -> assertThat(task.runs()).isEqualTo(runs))
                    .satisfies(task -> assertThat(task.state()).isNotEqualTo(TaskInfo.State.RUNNING)));
        }
    }

    private List<Finding> findings(Duration later) {
        SchedulerBeans.Named named = new SchedulerBeans.Named("taskScheduler", scheduler);
        Instant now = scheduler.getClock().instant().plus(later);
        Findings.Seen seen = seen(named);
        return new TaskFindings(
                        seen.descriptor(),
                        seen.tasks(),
                        now,
                        scheduler.getWarningLimits().run(),
                        id -> "https://tracer.example/of/" + id)
                .all();
    }

    private static Findings.Seen seen(SchedulerBeans.Named named) {
        Map<String, TaskSurvey.OfScheduler> seen = TaskRegistry.survey(
                        Map.of(named.name(), named.registry()),
                        TaskQuery.ALL.part(0, 0),
                        (name, task) -> task,
                        TaskFindings.MOST_LOOKED_AT)
                .schedulers();
        return Findings.Seen.of(named, Objects.requireNonNull(seen.get(named.name())), false, null);
    }

    private List<String> texts(Duration later) {
        return findings(later).stream()
                .map(finding -> finding.severity() + " " + finding.rule() + " " + finding.text())
                .toList();
    }

    private static void fail() {
        throw new IllegalStateException("the warehouse does not answer");
    }

    @Test
    void tasksThatAreWellAreNotSaid() {
        schedule("good", () -> {}, TaskSettings.NONE);
        runOften("good", 2);
        assertThat(texts(Duration.ofDays(1))).isEmpty();
    }

    @Test
    void failureIsSaidUntilARunEndsWell() {
        AtomicBoolean fails = new AtomicBoolean(true);
        schedule(
                "sync",
                () -> {
                    if (fails.get()) {
                        fail();
                    }
                },
                TaskSettings.NONE);
        runOften("sync", 1);
        assertThat(texts(Duration.ZERO))
                .containsExactly(
                        "WARNING failing The last run of sync failed with IllegalStateException: the warehouse "
                                + "does not answer");
        fails.set(false);
        registry().trigger("sync");
        awaitThat(() -> assertThat(texts(Duration.ZERO)).isEmpty());
    }

    @Test
    void taskThatFailsMostOftenIsNamed() {
        for (String id : List.of("a", "b", "c")) {
            schedule(id, TaskFindingsTest::fail, TaskSettings.NONE);
            runOften(id, 1);
        }
        assertThat(texts(Duration.ZERO))
                .containsExactly(
                        "WARNING failing 3 tasks are failing; the last run of c failed with IllegalStateException: "
                                + "the warehouse does not answer");
        registry().trigger("a");
        awaitThat(() -> assertThat(registry().get("a").runs()).isEqualTo(2));
        registry().trigger("a");
        awaitThat(() -> assertThat(texts(Duration.ZERO))
                .containsExactly("ERROR failing 3 tasks are failing, a most often (3 times in a row), last with "
                        + "IllegalStateException: the warehouse does not answer"));
        assertThat(findings(Duration.ZERO))
                .extracting(Finding::task, Finding::tasks)
                .containsExactly(tuple("a", 3));
    }

    @Test
    void tasksThatArePausedAfterFailuresAreSaid() {
        TaskSettings settings = TaskSettings.builder().pauseAfterFailures(1).build();
        schedule("sync", TaskFindingsTest::fail, settings);
        runOften("sync", 1);
        awaitThat(() -> assertThat(texts(Duration.ZERO))
                .contains("ERROR pausedAfterFailures Task sync was paused after too many failures in a row"));
    }

    @Test
    void overdueTasksAreSaidUnlessTheSchedulerIsPaused() {
        registry().setOverdueGrace(0, Duration.ZERO);
        scheduler.setPoolSize(1);
        schedule("hold", this::hold, TaskSettings.NONE);
        waits.set(true);
        registry().trigger("hold");
        awaitThat(() -> assertThat(registry().get("hold").state()).isEqualTo(TaskInfo.State.RUNNING));
        ScheduledFuture<?> unused = registry().schedule("late", () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
        awaitThat(() -> assertThat(findings(Duration.ZERO)).singleElement().satisfies(finding -> {
            assertThat(finding.rule()).isEqualTo("overdue");
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.task()).isEqualTo("late");
            assertThat(finding.text()).matches("Task late is overdue by [\\d.]+ m?s");
        }));
        scheduler.stop();
        assertThat(findings(Duration.ZERO)).isEmpty();
    }

    private void hold() {
        if (waits.get()) {
            try {
                gate.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void runThatGoesOnForMuchLongerThanTheOnesBeforeIsSaid() {
        schedule("import", this::hold, TaskSettings.NONE);
        runOften("import", 4);
        waits.set(true);
        registry().trigger("import");
        awaitThat(() -> assertThat(registry().get("import").state()).isEqualTo(TaskInfo.State.RUNNING));
        assertThat(texts(Duration.ofSeconds(5))).isEmpty();
        assertThat(findings(Duration.ofHours(1))).singleElement().satisfies(finding -> {
            assertThat(finding.rule()).isEqualTo("longRun");
            assertThat(finding.text())
                    .startsWith("Task import has been running for 1 h")
                    .contains("; its last 4 runs took at most ");
        });
    }

    @Test
    void firstRunIsNotedAfterAMinute() {
        schedule("import", this::hold, TaskSettings.NONE);
        waits.set(true);
        registry().trigger("import");
        awaitThat(() -> assertThat(registry().get("import").state()).isEqualTo(TaskInfo.State.RUNNING));
        assertThat(texts(Duration.ofSeconds(50))).isEmpty();
        assertThat(findings(Duration.ofHours(3))).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.INFO);
            assertThat(finding.text()).startsWith("Task import has been running for 3 h");
        });
    }

    @Test
    void firstRunPastTheLimitOfTheSettingsIsWarnedOf() {
        scheduler.setWarningLimits(new WarningLimits(Duration.ZERO, Duration.ZERO, Duration.ofHours(2), null));
        schedule("import", this::hold, TaskSettings.NONE);
        waits.set(true);
        registry().trigger("import");
        awaitThat(() -> assertThat(registry().get("import").state()).isEqualTo(TaskInfo.State.RUNNING));
        assertThat(findings(Duration.ofHours(1)))
                .singleElement()
                .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.INFO));
        assertThat(findings(Duration.ofHours(3))).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.text()).startsWith("Task import has been running for 3 h");
        });
    }

    @Test
    void firstRunPastItsIntervalIsWarnedOf() {
        waits.set(true);
        ScheduledFuture<?> unused =
                registry().schedule("hourly", this::hold, TaskSchedule.fixedRate(Duration.ofHours(1)));
        awaitThat(() -> assertThat(registry().get("hourly").state()).isEqualTo(TaskInfo.State.RUNNING));
        assertThat(findings(Duration.ofMinutes(50)))
                .singleElement()
                .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.INFO));
        assertThat(findings(Duration.ofHours(3))).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.text())
                    .startsWith("Task hourly has been running for 3 h")
                    .endsWith(", longer than its interval; a thread dump may show the reason");
        });
    }

    @Test
    void taskThatAlwaysOverrunsIsSaidUntilARunIsShortEnough() {
        AtomicBoolean isSlow = new AtomicBoolean(true);
        Runnable task = () -> LockSupport.parkUntil(isSlow.get() ? System.currentTimeMillis() + 12 : 0);
        ScheduledFuture<?> importing =
                registry().schedule("import", task, TaskSchedule.fixedRate(Duration.ofMillis(10)));
        awaitThat(() -> assertThat(findings(Duration.ZERO))
                .filteredOn("rule", "overruns")
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.task()).isEqualTo("import");
                    assertThat(finding.text())
                            .matches("Task import runs every 10 ms and takes up to [\\d.]+ m?s, longer than its "
                                    + "interval");
                }));
        isSlow.set(false);
        awaitThat(() ->
                assertThat(findings(Duration.ZERO)).extracting(Finding::rule).doesNotContain("overruns"));
        assertThat(importing.cancel(false)).isTrue();
    }

    @Test
    void worstComesFirstAndOthersAreAsked() {
        schedule("sync", TaskFindingsTest::fail, TaskSettings.NONE);
        runOften("sync", 1);
        SchedulerBeans.Named named = new SchedulerBeans.Named("taskScheduler", scheduler);
        Finding error = new Finding("other", Severity.ERROR, "the well is dry");
        Finding info = new Finding("other", Severity.INFO, "it rains");
        Findings findings = new Findings(() -> Stream.of(now -> List.of(info, error)), null);
        Instant now = scheduler.getClock().instant();
        assertThat(findings.of(List.of(seen(named)), now))
                .extracting(Finding::rule, Finding::severity)
                .containsExactly(
                        tuple("other", Severity.ERROR),
                        tuple("failing", Severity.WARNING),
                        tuple("other", Severity.INFO));
    }

    @Test
    void schedulerThatIsHeldBackComesFirst() {
        scheduler.stop();
        SchedulerBeans.Named named = new SchedulerBeans.Named("taskScheduler", scheduler);
        Finding error = new Finding("other", Severity.ERROR, "The well is dry");
        Findings findings = new Findings(() -> Stream.of(now -> List.of(error)), null);
        assertThat(findings.of(List.of(seen(named)), scheduler.getClock().instant()))
                .extracting(Finding::rule)
                .containsExactly("state", "other");
    }

    @Test
    void pauseIsSaidOnceForASchedulerWithItsGroups() {
        WheelTaskScheduler mails = new WheelTaskScheduler();
        mails.setGroupOf(scheduler, "mails", 10, OnFull.WAIT);
        mails.initialize();
        scheduler.stop();
        List<Findings.Seen> seen = Stream.of(
                        new SchedulerBeans.Named("taskScheduler", scheduler), new SchedulerBeans.Named("mails", mails))
                .map(TaskFindingsTest::seen)
                .toList();
        assertThat(seen).extracting(one -> one.descriptor().state()).containsOnly(SchedulerDescriptor.State.PAUSED);
        assertThat(new Findings(Stream::empty, null)
                        .of(seen, scheduler.getClock().instant()))
                .extracting(Finding::scheduler, Finding::text)
                .containsExactly(tuple("taskScheduler", "The scheduler is paused"));
        mails.shutdown();
    }
}
