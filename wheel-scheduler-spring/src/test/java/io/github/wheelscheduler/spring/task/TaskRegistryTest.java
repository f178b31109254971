package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.internal.spring.task.RunEnds;
import io.github.wheelscheduler.internal.spring.task.TaskNames;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.FixedRateTask;
import org.springframework.scheduling.config.OneTimeTask;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.TaskUtils;

/** Which tasks a registry knows, under which ids, and what it says about them. */
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class TaskRegistryTest extends RegistryFixture {

    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicInteger runs = new AtomicInteger();

    private static Instant inAnHour() {
        return Instant.now().plus(HOUR);
    }

    @Test
    void tasksThatRepeatAreKnownAndOneTimeTasksAreNot() {
        scheduler.scheduleAtFixedRate(new Named("rate"), inAnHour(), HOUR);
        scheduler.scheduleWithFixedDelay(new Named("delay"), inAnHour(), HOUR);
        scheduler.schedule(new Named("cron"), new CronTrigger("0 0 0 1 1 *"));
        scheduler.schedule(new Named("trigger"), context -> inAnHour());
        scheduler.schedule(new Named("once"), inAnHour());
        assertThat(registry.ids()).containsExactly("cron", "delay", "rate", "trigger");
        assertThat(registry.list(0, 10))
                .extracting(task -> task.schedule().kind())
                .containsExactly("cron", "fixed-delay", "fixed-rate", "trigger");
        assertThat(registry.list(0, 10)).allMatch(task -> task.origin() == TaskInfo.Origin.PROGRAMMATIC);
        assertThat(registry.get("cron").schedule().text()).isEqualTo("0 0 0 1 1 *");
        assertThat(registry.get("rate").schedule().text()).isEqualTo("PT1H");
        assertThat(registry.size()).isEqualTo(4);
    }

    @Test
    void tasksOfSpringsRegistrarAreKnownAlsoIfTheyRunOnce() {
        String tasks = Tasks.class.getName();
        Runnable annotated = new FixedRateTask(new SaysOfItself(tasks + ".beat"), HOUR, HOUR).getRunnable();
        Runnable once = new OneTimeTask(new SaysOfItself(tasks + ".warmUp"), HOUR).getRunnable();
        scheduler.scheduleAtFixedRate(annotated, inAnHour(), HOUR);
        scheduler.schedule(once, inAnHour());
        assertThat(registry.ids()).containsExactly(tasks + ".beat", tasks + ".warmUp");
        assertThat(registry.list(0, 10)).allMatch(task -> task.origin() == TaskInfo.Origin.ANNOTATED);
    }

    @Test
    void hiddenTaskIsNamedByItsMethodOrClassOnly() {
        List<Object> hidden = List.of(
                new SaysOfItself("Sync[url=https://example.com, apiKey=secret]"),
                new SaysOfItself("secret.token"),
                new SaysOfItself(Tasks.class.getName() + ".secret"),
                new SaysOfItself("secret@1234"),
                new SaysOfItself("java.lang.String.valueOf"),
                new FailingText());
        for (Object task : hidden) {
            scheduler.scheduleAtFixedRate(
                    new FixedRateTask((Runnable) task, HOUR, HOUR).getRunnable(), inAnHour(), HOUR);
        }
        assertThat(registry.ids())
                .hasSize(hidden.size())
                .allMatch(id -> id.startsWith("org.springframework.scheduling"));
        Runnable lambda = () -> {};
        Runnable object = new Runnable() {
            @Override
            public void run() {}
        };
        scheduler.scheduleAtFixedRate(new FixedRateTask(lambda, HOUR, HOUR).getRunnable(), inAnHour(), HOUR);
        scheduler.scheduleAtFixedRate(new FixedRateTask(object, HOUR, HOUR).getRunnable(), inAnHour(), HOUR);
        assertThat(registry.ids())
                .contains(getClass().getName() + ".lambda", object.getClass().getName());
    }

    @Test
    void textOfATaskIsShownNowhere() {
        record Sync(String url, String apiKey) implements Runnable {
            @Override
            public void run() {
                throw new IllegalStateException("on purpose");
            }
        }
        Sync sync = new Sync("https://example.com", "secret");
        try (LogCapture log = LogCapture.of("");
                LogCapture failures = LogCapture.ofPackage(TaskUtils.class)) {
            scheduler.scheduleAtFixedRate(sync, Duration.ofMillis(1));
            scheduler.schedule(sync, new PeriodicTrigger(HOUR));
            scheduler.schedule(sync, inAnHour());
            assertThat(registry.ids()).containsExactly(Sync.class.getName(), Sync.class.getName() + "~2");
            awaitThat(() -> registry.get(Sync.class.getName()).failures() > 1);
            scheduler.setMaxPending(1);
            scheduler.setWaitForTasksToCompleteOnShutdown(true);
            scheduler.setAwaitTerminationMillis(1);
            scheduler.shutdown();
            assertThat(log.messages()).anyMatch(line -> line.contains("1 one-time tasks") && line.contains("Sync"));
            scheduler.initialize();
            scheduler.scheduleAtFixedRate(sync, inAnHour(), HOUR);
            assertThatExceptionOfType(TaskRejectedException.class)
                    .isThrownBy(() -> registry.retime(Sync.class.getName(), TaskSchedule.fixedDelay(HOUR)))
                    .satisfies(ex -> assertThat(ex.toString()).doesNotContain("secret"));
            assertThat(log.messages()).noneMatch(line -> line.contains("secret"));
            assertThat(failures.messages()).isNotEmpty().noneMatch(line -> line.contains("secret"));
        }
    }

    @Test
    void idsAreNoLongerThanIsOfUse() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.schedule("x".repeat(251), () -> {}, TaskSchedule.fixedRate(HOUR)))
                .withMessageStartingWith("name must not be longer than 250 characters, was 251 long: xxx");
        scheduler.scheduleAtFixedRate(new Named("x".repeat(1_000)), inAnHour(), HOUR);
        assertThat(registry.ids()).singleElement().asString().hasSize(250).startsWith("…x");
        String cutWithin = "a\uD83D\uDE00" + "x".repeat(248);
        assertThat(TaskNames.of(new Named(cutWithin, () -> {}), new TaskCatalog()))
                .startsWith("…?x");
    }

    @Test
    void seriesRejectedInSilenceIsNeitherListedNorWaitedFor() {
        WheelTaskScheduler bounded = new WheelTaskScheduler();
        bounded.setMaxPending(1);
        bounded.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        bounded.initialize();
        try {
            bounded.scheduleAtFixedRate(new Named("first"), HOUR);
            ScheduledFuture<?> second = bounded.scheduleAtFixedRate(new Named("second"), HOUR);
            ScheduledFuture<?> third = bounded.schedule(new Named("third"), new CronTrigger("0 0 0 1 1 *"));
            assertThat(second.isCancelled()).isTrue();
            assertThat(third.isCancelled()).isTrue();
            assertThat(bounded.getTaskRegistry().ids()).containsExactly("first");
        } finally {
            bounded.shutdown();
        }
    }

    @Test
    void missedRunsAreCountedForEachTask() {
        scheduler.shutdown();
        scheduler.setMaxCatchUp(0);
        scheduler.initialize();
        Gate gate = new Gate();
        scheduler.scheduleAtFixedRate(new Named("slow", gate), Duration.ofMillis(1));
        scheduler.scheduleAtFixedRate(new Named("other"), HOUR);
        gate.awaitArrivals(1);
        scheduler.stop();
        awaitThat(() -> registry.get("slow").lateBy().toMillis() > 5);
        gate.open();
        awaitThat(() -> registry.get("slow").missed() >= 5);
        assertThat(registry.get("other").missed()).isZero();
    }

    @Test
    void zoneOfACronIsShownAndItsNextRunIsExact() {
        ZoneId tokyo = ZoneId.of("Asia/Tokyo");
        scheduler.schedule(new Named("tokyo"), new CronTrigger("0 0 12 * * *", tokyo));
        scheduler.schedule(new Named("here"), new CronTrigger("0 0 12 * * *"));
        TaskInfo seen = registry.get("tokyo");
        assertThat(((TaskSchedule.Calendar) seen.schedule()).zone()).isEqualTo(tokyo);
        assertThat(((TaskSchedule.Calendar) registry.get("here").schedule()).zone())
                .isEqualTo(ZoneId.systemDefault());
        ZonedDateTime next = Objects.requireNonNull(seen.next()).atZone(tokyo);
        assertThat(next.toLocalTime()).isEqualTo(LocalTime.NOON);
    }

    @Test
    void periodOfASpringTriggerIsShown() {
        PeriodicTrigger rate = new PeriodicTrigger(Duration.ofMillis(5));
        rate.setFixedRate(true);
        scheduler.schedule(
                new Named(
                        "rate",
                        () -> LockSupport.parkNanos(Duration.ofMillis(20).toNanos())),
                rate);
        scheduler.schedule(new Named("delay"), new PeriodicTrigger(HOUR));
        assertThat(registry.get("rate").schedule().text()).isEqualTo("every 5 ms");
        assertThat(registry.get("delay").schedule().text()).isEqualTo("1 h after each run");
        awaitThat(() -> registry.get("rate").overruns() > 0);
        assertThat(registry.get("delay").overruns()).isZero();
    }

    @Test
    void triggerOfAUserIsAskedForNothingButItsNextInstant() {
        PeriodicTrigger secretive = new PeriodicTrigger(HOUR) {
            @Override
            public Duration getPeriodDuration() {
                throw new IllegalStateException("nobody's business");
            }
        };
        scheduler.schedule(new Named("secretive"), secretive);
        assertThat(registry.get("secretive").schedule().kind()).isEqualTo("trigger");
        assertThat(registry.list(0, 10)).hasSize(1);
    }

    @Test
    void failureOfACallableIsCounted() {
        Future<?> failing = scheduler.submit((Callable<String>) () -> {
            throw new IOException("on purpose");
        });
        awaitThat(failing::isDone);
        assertThat(scheduler.getFailedRuns()).isOne();
    }

    @Test
    void lambdaIsNamedAfterItsClassTheSameAtEachStart() {
        scheduler.scheduleAtFixedRate(runs::incrementAndGet, inAnHour(), HOUR);
        scheduler.scheduleAtFixedRate(() -> runs.addAndGet(2), inAnHour(), HOUR);
        String name = TaskRegistryTest.class.getName() + ".lambda";
        assertThat(registry.ids()).containsExactly(name, name + "~2");
    }

    @Test
    void taskWhoseTextFailsIsNamedAfterItsClass() {
        scheduler.scheduleAtFixedRate(new FailingText(), inAnHour(), HOUR);
        assertThat(registry.ids()).containsExactly(FailingText.class.getName());
    }

    @Test
    void tasksOfOneNameAreNumberedAndListedInParts() {
        for (int i = 0; i < 10_000; i++) {
            scheduler.scheduleAtFixedRate(new Named("many"), inAnHour(), HOUR);
        }
        assertThat(registry.size()).isEqualTo(10_000);
        assertThat(registry.list(9_990, 100)).hasSize(10);
        assertThat(registry.list(20_000, 100)).isEmpty();
        assertThat(registry.list(0, 3)).extracting(TaskInfo::id).containsExactly("many", "many~10", "many~100");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.list(-1, 5))
                .withMessage("offset and limit must not be negative, were -1 and 5");
    }

    @Test
    void nameIsTheIdAndCannotBeGivenTwice() {
        ScheduledFuture<?> first = registry.schedule("clean-up", runs::incrementAndGet, TaskSchedule.fixedRate(HOUR));
        assertThat(registry.get("clean-up").origin()).isEqualTo(TaskInfo.Origin.NAMED);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.schedule("clean-up", () -> {}, TaskSchedule.fixedRate(HOUR)))
                .withMessage("name must not be the name of a scheduled task, was clean-up");
        assertThat(first.cancel(false)).isTrue();
        assertThat(registry.schedule("clean-up", () -> {}, TaskSchedule.cron("0 0 0 1 1 *"))
                        .isDone())
                .isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.schedule(" ", () -> {}, TaskSchedule.fixedRate(HOUR)))
                .withMessage("name must not be blank, was ' '");
    }

    @Test
    void nameThatLooksLikeANumberedOneIsANameLikeAnyOther() {
        ScheduledFuture<?> first = scheduler.scheduleAtFixedRate(new Named("job"), HOUR);
        ScheduledFuture<?> named = registry.schedule("job~two", () -> {}, TaskSchedule.fixedRate(HOUR));
        ScheduledFuture<?> numbered = registry.schedule("job~2", () -> {}, TaskSchedule.fixedRate(HOUR));
        ScheduledFuture<?> next = scheduler.scheduleAtFixedRate(new Named("job"), HOUR);
        assertThat(registry.ids()).containsExactly("job", "job~2", "job~3", "job~two");
        for (ScheduledFuture<?> future : List.of(named, numbered, first, next)) {
            assertThat(future.cancel(false)).isTrue();
        }
        assertThat(registry.footprint()).isZero();
    }

    @Test
    void namedOneTimeTaskIsStillSeenWhenItIsOver() throws Exception {
        ScheduledFuture<?> future = registry.schedule("once", runs::incrementAndGet, TaskSchedule.once(Instant.now()));
        assertThat(future.get()).isNull();
        awaitThat(() -> registry.get("once").state() == TaskInfo.State.OVER);
        TaskInfo task = registry.get("once");
        assertThat(task.runs()).isEqualTo(1);
        assertThat(task.lastSuccess()).isNotNull();
        assertThat(task.next()).isNull();
        // The name is free again.
        assertThat(registry.schedule("once", runs::incrementAndGet, TaskSchedule.once(inAnHour()))
                        .isDone())
                .isFalse();
    }

    @Test
    void onlyTheLastTasksThatAreOverStayVisible() {
        for (int i = 0; i < 150; i++) {
            ScheduledFuture<?> ignored =
                    registry.schedule("once-" + i, runs::incrementAndGet, TaskSchedule.once(Instant.now()));
        }
        awaitThat(() -> runs.get() == 150 && scheduler.getActiveCount() == 0);
        awaitThat(() -> registry.size() == 100);
    }

    @Test
    void triggerThatNamesNoTimeIsRefused() {
        assertThat((Object) scheduler.schedule(runs::incrementAndGet, context -> null))
                .isNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.schedule("never", () -> {}, TaskSchedule.trigger(context -> null)));
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void rejectionIsToldBeforeTheTaskGoes() {
        List<String> told = new ArrayList<>();
        registry.addListener(new TaskListener() {
            @Override
            public void added(String id) {
                told.add("added");
            }

            @Override
            public void rejected(String id) {
                told.add("rejected");
            }

            @Override
            public void removed(String id) {
                told.add("removed");
            }
        });
        scheduler.shutdown();
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> registry.schedule("late", () -> {}, TaskSchedule.fixedRate(HOUR)));
        assertThat(told).containsExactly("added", "rejected", "removed");
    }

    @Test
    @Timeout(30)
    void timeoutThatIsOverIsNotWaitedFor() {
        ScheduledFuture<?> future =
                scheduler.scheduleAtFixedRate(() -> {}, Instant.now().plus(HOUR), HOUR);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> future.get(Long.MIN_VALUE, TimeUnit.NANOSECONDS));
        future.cancel(false);
    }

    /** Epoch nanoseconds end in 2262. */
    @Test
    void runIsSeenByAClockOfTheFarFuture() {
        Gate gate = new Gate();
        scheduler.setClock(Clock.fixed(Instant.parse("3000-01-01T00:00:00Z"), ZoneOffset.UTC));
        ScheduledFuture<?> ignored = registry.schedule("far", gate, TaskSchedule.fixedRate(HOUR));
        gate.awaitArrivals(1);
        assertThat(registry.get("far").state()).isEqualTo(TaskInfo.State.RUNNING);
        gate.open();
    }

    @Test
    void rejectedTaskIsNotKnown() {
        scheduler.shutdown();
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> registry.schedule("late", () -> {}, TaskSchedule.fixedRate(HOUR)));
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> scheduler.scheduleAtFixedRate(new Named("later"), HOUR));
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void seriesThatIsOverIsForgotten() {
        AtomicInteger asked = new AtomicInteger();
        ScheduledFuture<?> series = scheduler.schedule(
                new Named("three times"), context -> asked.incrementAndGet() > 3 ? null : Instant.EPOCH);
        awaitThat(series::isDone);
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void endedSeriesAreForgottenUnasked() {
        for (int i = 0; i < 10_000; i++) {
            AtomicBoolean named = new AtomicBoolean();
            ScheduledFuture<?> ignored = scheduler.schedule(
                    runs::incrementAndGet,
                    context -> named.compareAndSet(false, true)
                            ? scheduler.getClock().instant()
                            : null);
        }
        awaitThat(() -> runs.get() == 10_000);
        for (int i = 0; i < 12_000; i++) {
            boolean ignored =
                    scheduler.scheduleAtFixedRate(new Named("name " + i), HOUR).cancel(false);
        }
        assertThat(registry.footprint()).isLessThan(3_000);
    }

    @Test
    void shutdownForgetsAllTasks() {
        scheduler.scheduleAtFixedRate(new Named("rate"), inAnHour(), HOUR);
        scheduler.shutdown();
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void runsAreRemembered() {
        RuntimeException failure = new IllegalStateException("on purpose");
        Runnable task = () -> {
            if (runs.incrementAndGet() % 2 == 0) {
                throw failure;
            }
        };
        scheduler.setErrorHandler(thrown -> assertThat(thrown).isSameAs(failure));
        ScheduledFuture<?> ignored =
                registry.schedule("every other", task, TaskSchedule.fixedRate(Duration.ofMillis(1)));
        awaitThat(() -> registry.get("every other").runs() >= 12);
        registry.pause("every other");
        awaitThat(() -> registry.get("every other").state() == TaskInfo.State.PAUSED);
        TaskInfo seen = registry.get("every other");
        assertThat(seen.recent()).hasSize(10);
        assertThat(seen.failures()).isEqualTo(seen.runs() / 2);
        assertThat(seen.failuresInARow()).isEqualTo(1 - seen.runs() % 2);
        assertThat(seen.recent())
                .filteredOn(outcome -> !outcome.isSuccess())
                .hasSize(5)
                .allMatch(outcome -> new RunOutcome.Failure(IllegalStateException.class.getName(), "on purpose", null)
                        .equals(outcome.failure()));
        assertThat(seen.lastSuccess()).isBeforeOrEqualTo(Instant.now());
        assertThat(scheduler.getFailedRuns()).isEqualTo(seen.failures());
    }

    @Test
    void runThatIsGoingOnIsSeen() {
        Gate gate = new Gate();
        Instant before = Instant.now();
        scheduler.scheduleWithFixedDelay(new Named("slow", gate), Duration.ofMillis(1));
        gate.awaitArrivals(1);
        TaskInfo seen = registry.get("slow");
        assertThat(seen.state()).isEqualTo(TaskInfo.State.RUNNING);
        assertThat(seen.runningSince()).isBetween(before, Instant.now());
        assertThat(seen.next()).isNull();
        gate.open();
    }

    @Test
    void nextRunIsSeen() {
        Instant at = inAnHour();
        scheduler.scheduleAtFixedRate(new Named("rate"), at, HOUR);
        assertThat(registry.get("rate").next()).isBetween(at.minusSeconds(60), at.plusSeconds(60));
        assertThat(registry.get("rate").overdue()).isFalse();
    }

    @Test
    void taskThatWaitsTooLongForAWorkerIsOverdue() {
        scheduler.setPoolSize(1);
        Gate gate = new Gate();
        scheduler.execute(gate);
        gate.awaitArrivals(1);
        registry.setOverdueGrace(0.5, Duration.ofMillis(1));
        scheduler.scheduleAtFixedRate(new Named("waiting"), Duration.ofMillis(20));
        awaitThat(() -> registry.overdue(10).size() == 1);
        TaskInfo seen = registry.overdue(10).get(0);
        assertThat(seen.id()).isEqualTo("waiting");
        assertThat(seen.lateBy()).isGreaterThan(Duration.ofMillis(10));
        assertThat(registry.overdue(0)).isEmpty();
        gate.open();
    }

    @Test
    void nothingIsOverdueWhileTheSchedulerIsHeldBack() {
        registry.setOverdueGrace(0, Duration.ZERO);
        scheduler.stop();
        ScheduledFuture<?> ignored = registry.schedule("held", () -> {}, TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> registry.get("held").lateBy().toMillis() > 10);
        assertThat(registry.get("held").overdue()).isFalse();
        assertThat(registry.overdue()).isZero();
        scheduler.setMode(SchedulerMode.HALTED);
        scheduler.start();
        assertThat(registry.get("held").overdue()).isFalse();
        assertThat(registry.overdue()).isZero();
    }

    @Test
    void taskWhoseRunGoesOnTooLongIsOverdue() {
        registry.setOverdueGrace(0.5, Duration.ofMillis(1));
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = registry.schedule("stuck", gate, TaskSchedule.fixedRate(Duration.ofMillis(20)));
        gate.awaitArrivals(1);
        awaitThat(() -> registry.get("stuck").overdue());
        assertThat(registry.get("stuck").state()).isEqualTo(TaskInfo.State.RUNNING);
        gate.open();
    }

    @Test
    void fixedDelayIsNotOverdueWhileItRuns() {
        registry.setOverdueGrace(0, Duration.ZERO);
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = registry.schedule("slow", gate, TaskSchedule.fixedDelay(Duration.ofNanos(1)));
        gate.awaitArrivals(1);
        assertThat(registry.get("slow").lateBy()).isZero();
        gate.open();
    }

    @Test
    void tasksThatWaitAreToldFromThoseThatRun() {
        Gate gate = new Gate();
        ScheduledFuture<?> running = registry.schedule("running", gate, TaskSchedule.fixedRate(HOUR));
        ScheduledFuture<?> waiting = registry.schedule("waiting", () -> {}, TaskSchedule.once(inAnHour()));
        gate.awaitArrivals(1);
        awaitThat(() -> registry.waiting() == 1);
        assertThat(registry.size()).isEqualTo(2);
        gate.open();
        awaitThat(() -> registry.waiting() == 2);
        boolean ignored = running.cancel(false) && waiting.cancel(false);
        assertThat(registry.waiting()).isZero();
    }

    @Test
    void unknownIdIsAnsweredWithTheNumberOfKnownOnes() {
        scheduler.scheduleAtFixedRate(new Named("rate"), inAnHour(), HOUR);
        assertThatExceptionOfType(UnknownTaskException.class)
                .isThrownBy(() -> registry.get("rat"))
                .withMessage("id must be that of one of the 1 registered tasks, was rat")
                .matches(ex -> ex.knownTasks() == 1);
        assertThat(registry.find("rat")).isEmpty();
    }

    @Test
    void listenerIsToldOfTasksAndRuns() {
        List<String> told = new CopyOnWriteArrayList<>();
        ScheduledFuture<?> before = scheduler.scheduleAtFixedRate(new Named("before"), inAnHour(), HOUR);
        TaskListener listener = new TaskListener() {
            @Override
            public void added(String id) {
                told.add("added " + id);
            }

            @Override
            public void removed(String id) {
                told.add("removed " + id);
            }

            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.add("ran " + id + " " + outcome.isSuccess());
            }
        };
        registry.addListener(listener);
        ScheduledFuture<?> ignored = registry.schedule("once", runs::incrementAndGet, TaskSchedule.once(Instant.now()));
        awaitThat(() -> told.size() == 3);
        assertThat(before.cancel(false)).isTrue();
        assertThat(told).containsExactly("added before", "added once", "ran once true", "removed before");
        registry.removeListener(listener);
        scheduler.scheduleAtFixedRate(new Named("after"), inAnHour(), HOUR);
        assertThat(told).hasSize(4);
    }

    @Test
    void listenerMayHaveAnotherForTheRunsOfATask() {
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicInteger asked = new AtomicInteger();
        TaskListener listener = new TaskListener() {
            @Override
            public TaskListener ofRuns(String id) {
                int number = asked.incrementAndGet();
                return new TaskListener() {
                    @Override
                    public void ran(String same, RunOutcome outcome, boolean overran) {
                        told.add(number + " " + id + " " + same);
                    }
                };
            }

            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.add("ran");
            }
        };
        registry.addListener(listener);
        scheduler.scheduleAtFixedRate(new Named("rate"), inAnHour(), HOUR);
        trigger("rate", told, 1);
        trigger("rate", told, 2);
        // The list of listeners is another one.
        TaskListener other = new TaskListener() {
            @Override
            public TaskListener ofRuns(String id) {
                throw new IllegalStateException("from the look at a task");
            }

            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.add("other " + id);
            }
        };
        registry.addListener(other);
        trigger("rate", told, 4);
        registry.removeListener(listener);
        trigger("rate", told, 5);
        assertThat(told).containsExactly("1 rate rate", "1 rate rate", "1 rate rate", "other rate", "other rate");
    }

    @Test
    void listenerOfNumbersHasTheRunOfTheOthers() {
        List<RunOutcome> told = new CopyOnWriteArrayList<>();
        registry.addListener(new TaskListener() {
            @Override
            public TaskListener ofRuns(String id) {
                return (RunEnds) (startedAt, nanos, latenessNanos, triggered, failure, thrown) ->
                        told.add(RunOutcome.of(startedAt, nanos, latenessNanos, triggered, failure));
            }
        });
        registry.addListener(new TaskListener() {
            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.add(outcome);
            }
        });
        RunEnds failing = (startedAt, nanos, latenessNanos, triggered, failure, thrown) -> {
            throw new IllegalStateException("on purpose");
        };
        registry.addListener(failing);
        scheduler.setErrorHandler(thrown -> {});
        scheduler.scheduleAtFixedRate(
                new Named("rate", () -> {
                    throw new IllegalStateException("from the run");
                }),
                inAnHour(),
                HOUR);
        registry.trigger("rate");
        awaitThat(() -> told.size() == 2);
        assertThat(told.get(0)).isEqualTo(told.get(1));
        assertThat(told.get(0).failure()).isNotNull();
    }

    private void trigger(String id, List<String> told, int size) {
        registry.trigger(id);
        awaitThat(() -> told.size() == size);
        awaitThat(() -> registry.get(id).runningSince() == null);
    }

    @Test
    void listenersThatThrowHarmNoTask() {
        try (LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class)) {
            TaskListener failing = new TaskListener() {
                @Override
                public void added(String id) {
                    throw new IllegalStateException("from added");
                }

                @Override
                public void ran(String id, RunOutcome outcome, boolean overran) {
                    throw new NoClassDefFoundError("from ran");
                }
            };
            registry.addListener(failing);
            scheduler.getLateness().addListener((wheelNanos, queueNanos, nowNanos) -> {
                throw new IllegalStateException("from lateness");
            });
            scheduler.scheduleAtFixedRate(new Named("goes on", runs::incrementAndGet), Duration.ofMillis(1));
            awaitThat(() -> runs.get() > 10);
            assertThat(registry.get("goes on").failures()).isZero();
            assertThat(log.said("listener failed")).hasSize(2);
            assertThat(log.messages()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a;b",
                "a%b",
                "a\\b",
                "a//b",
                ".",
                "..",
                "a/./b",
                "a/..",
                "/a",
                "a/",
                "a\u202Eb",
                "a\nb",
                "a\uD83D"
            })
    void aNameThatNoPathCanHoldIsRefusedOrReplaced(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TaskNames.check("name", name))
                .withMessageStartingWith("name must not contain line breaks or other control characters, "
                        + "unpaired surrogates, ; % \\ or //,");
        assertThat(TaskNames.reachable(name)).contains("?");
        assertThatNoException().isThrownBy(() -> TaskNames.check("name", TaskNames.reachable(name)));
        assertThat(TaskNames.of(new Named(name, () -> {}), new TaskCatalog())).isEqualTo(TaskNames.reachable(name));
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller must not do
    void missingNameIsRefusedWithTheRule() {
        assertThatNullPointerException()
                .isThrownBy(() -> scheduler
                        .getTaskRegistry()
                        .schedule(null, () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1))))
                .withMessage("name must not be null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a.b", "...", "a/.b/c..", "com.example.Base.poll@flow#0", "a b"})
    void aNameThatAPathCanHoldStays(String name) {
        assertThatNoException().isThrownBy(() -> TaskNames.check("name", name));
        assertThat(TaskNames.reachable(name)).isEqualTo(name);
    }

    private record Named(String taskName, Runnable target) implements Runnable, NamedTask {

        Named(String text) {
            this(text, () -> {});
        }

        @Override
        public void run() {
            target.run();
        }
    }

    static final class Tasks {

        @Scheduled(fixedRate = 1)
        void beat() {}

        @Scheduled(initialDelay = 1)
        void warmUp() {}

        void secret() {}
    }

    private record SaysOfItself(String text) implements Runnable {

        @Override
        public void run() {}

        @Override
        public String toString() {
            return text;
        }
    }

    private static final class FailingText implements Runnable {

        @Override
        public void run() {}

        @Override
        public String toString() {
            throw new IllegalStateException("on purpose");
        }
    }
}
