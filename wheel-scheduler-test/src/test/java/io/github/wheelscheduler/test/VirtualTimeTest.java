package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.scheduling.support.CronTrigger;

@ExtendWith(VirtualTimeExtension.class)
@SuppressWarnings("FutureReturnValueIgnored") // as users write it
class VirtualTimeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private VirtualTime time;
    private WheelTaskScheduler scheduler;

    @BeforeEach
    void newScheduler(VirtualTime time) {
        this.time = time;
        this.scheduler = time.newScheduler();
    }

    private Instant at(Duration sinceStart) {
        return VirtualTime.DEFAULT_START.plus(sinceStart);
    }

    private Runnable logged(String name) {
        return () -> log.add(name + " at " + sinceStart(time));
    }

    /** Returns what both clocks show, which is to be the same. */
    private static Duration sinceStart(VirtualTime time) {
        Duration monotonic = Duration.ofNanos(time.timeSource().nanoTime());
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(monotonic));
        return monotonic;
    }

    @Test
    void rateRunsWhenDueAndSeesThatTimeOnBothClocks() {
        scheduler.scheduleAtFixedRate(logged("rate"), at(Duration.ofSeconds(3)), Duration.ofSeconds(5));
        time.advanceBy(Duration.ofSeconds(13));
        assertThat(log).containsExactly("rate at PT3S", "rate at PT8S", "rate at PT13S");
        assertThat(time.now()).isEqualTo(at(Duration.ofSeconds(13)));
    }

    @Test
    void delayCountsFromTheEndOfARunWhichTakesNoTime() {
        scheduler.scheduleWithFixedDelay(logged("delay"), Duration.ofMillis(1_500));
        time.advanceBy(Duration.ofSeconds(4));
        assertThat(log).containsExactly("delay at PT0S", "delay at PT1.5S", "delay at PT3S");
    }

    @Test
    void nothingThatIsScheduledRunsBeforeTimeIsMoved() throws Exception {
        scheduler.scheduleAtFixedRate(logged("rate"), HOUR);
        scheduler.schedule(logged("once"), time.now());
        Future<?> submitted = scheduler.submit(logged("submitted"));
        assertThat(submitted.get(30, TimeUnit.SECONDS)).isNull();
        assertThat(log).containsExactly("submitted at PT0S");
        time.runCurrent();
        assertThat(log).containsExactly("submitted at PT0S", "rate at PT0S", "once at PT0S");
    }

    @Test
    void runsOfOneInstantComeInTheOrderOfScheduling() {
        AtomicInteger running = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            String name = "task " + i;
            scheduler.schedule(
                    () -> {
                        assertThat(running.incrementAndGet()).isOne();
                        log.add(name);
                        running.decrementAndGet();
                    },
                    at(SECOND));
        }
        time.advanceBy(SECOND);
        assertThat(log).hasSize(1_000).first().isEqualTo("task 0");
        assertThat(log.stream().map(name -> Integer.valueOf(name.substring(5))).toList())
                .isSorted();
        assertThat(scheduler.getFailedRuns()).isZero();
    }

    @Test
    void runsOfOneInstantMeetWhereTheyAreToComeSideBySide() {
        time.setOrder(RunOrder.SIDE_BY_SIDE);
        CyclicBarrier meeting = new CyclicBarrier(8, () -> log.add("met at " + sinceStart(time)));
        for (int i = 0; i < 8; i++) {
            scheduler.scheduleAtFixedRate(
                    () -> {
                        try {
                            meeting.await(30, TimeUnit.SECONDS);
                        } catch (Exception ex) {
                            throw new IllegalStateException(ex);
                        }
                    },
                    at(SECOND),
                    SECOND);
        }
        time.advanceBy(Duration.ofSeconds(3));
        assertThat(log).containsExactly("met at PT1S", "met at PT2S", "met at PT3S");
        assertThat(scheduler.getFailedRuns()).isZero();
        time.setMaxRuns(100);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceBy(HOUR))
                .withMessageContaining("more than 100 runs");
    }

    @Test
    void runCancelledByAnEarlierOneDoesNotCome() {
        List<ScheduledFuture<?>> second = new ArrayList<>();
        scheduler.schedule(() -> second.get(0).cancel(false), at(SECOND));
        second.add(scheduler.schedule(logged("second"), at(SECOND)));
        time.advanceBy(HOUR);
        assertThat(log).isEmpty();
        assertThat(second.get(0).isCancelled()).isTrue();
    }

    @Test
    void tasksScheduledByRunsRunToo() {
        scheduler.schedule(
                () -> {
                    log.add("first at " + sinceStart(time));
                    scheduler.schedule(logged("now"), time.now());
                    scheduler.schedule(logged("later"), time.now().plus(SECOND));
                    scheduler.schedule(logged("too late"), time.now().plus(HOUR));
                },
                at(SECOND));
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(log).containsExactly("first at PT1S", "now at PT1S", "later at PT2S");
    }

    @Test
    void runThatWaitsForWhatItSubmitsGetsIt() {
        scheduler.schedule(
                () -> {
                    try {
                        scheduler.submit(logged("submitted")).get(30, TimeUnit.SECONDS);
                    } catch (Exception ex) {
                        throw new IllegalStateException(ex);
                    }
                    log.add("after it");
                },
                at(SECOND));
        time.advanceBy(SECOND);
        assertThat(log).containsExactly("submitted at PT1S", "after it");
    }

    @Test
    void timeGoesFromOneDueRunToTheNext() {
        scheduler.schedule(logged("far"), at(Duration.ofDays(400)));
        scheduler.schedule(logged("near"), at(HOUR));
        assertThat(time.nextDue()).contains(at(HOUR));
        assertThat(time.advanceToNext()).isTrue();
        assertThat(log).containsExactly("near at PT1H");
        assertThat(time.advanceToNext()).isTrue();
        assertThat(log).last().isEqualTo("far at PT9600H");
        assertThat(time.advanceToNext()).isFalse();
        assertThat(time.nextDue()).isEqualTo(Optional.empty());
    }

    @Test
    void timeGoesOnUntilAConditionHoldsOrTheLimitHasPassed() {
        AtomicInteger runs = new AtomicInteger();
        scheduler.scheduleAtFixedRate(runs::incrementAndGet, SECOND);
        time.advanceUntil(() -> runs.get() == 5, HOUR);
        assertThat(time.now()).isEqualTo(at(Duration.ofSeconds(4)));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceUntil(() -> runs.get() < 0, SECOND))
                .withMessageContaining("must hold within 1 s of virtual time");
        assertThat(time.now()).isEqualTo(at(Duration.ofSeconds(5)));
    }

    @Test
    void conditionOfTheLimitItselfHolds() {
        time.advanceUntil(() -> !time.now().isBefore(at(HOUR)), HOUR);
        assertThat(time.now()).isEqualTo(at(HOUR));
        time.advanceUntil(() -> true, HOUR);
        assertThat(time.now()).isEqualTo(at(HOUR));
    }

    @Test
    void cronFollowsASetWallClockAndRepeatsNoInstant() {
        List<Instant> noons = new ArrayList<>();
        scheduler.schedule(() -> noons.add(time.now()), new CronTrigger("0 0 12 * * *"));
        time.advanceBy(HOUR);
        time.jumpWallClock(Duration.ofHours(10));
        assertThat(time.now()).isEqualTo(at(Duration.ofHours(11)));
        time.advanceBy(Duration.ofDays(1));
        assertThat(noons).containsExactly(at(Duration.ofHours(12)));
        time.jumpWallClock(Duration.ofDays(-1));
        time.advanceBy(Duration.ofDays(1));
        assertThat(noons).hasSize(1);
        time.advanceBy(Duration.ofDays(1));
        assertThat(noons).containsExactly(at(Duration.ofHours(12)), at(Duration.ofHours(36)));
        assertThat(scheduler.getWheelScheduledExecutor().snapshot().tick().clockJumps())
                .isEqualTo(2);
    }

    @Test
    void suspendedProcessCatchesUpToItsLimitInPhase() {
        List<Duration> runs = new ArrayList<>();
        scheduler.scheduleAtFixedRate(() -> runs.add(sinceStart(time)), SECOND);
        time.advanceBy(Duration.ofMillis(2_500));
        runs.clear();
        time.suspend(HOUR);
        // One that was due when it was stopped, and the last ten that were missed.
        assertThat(runs).hasSize(11).containsOnly(HOUR.plusMillis(2_500));
        runs.clear();
        time.advanceBy(SECOND);
        assertThat(runs).containsExactly(HOUR.plusSeconds(3));
    }

    @Test
    void runThatSleepsFailsTheTestWithItsNameAndStack() {
        CountDownLatch never = new CountDownLatch(1);
        record Stuck(CountDownLatch latch) implements Runnable, NamedTask {
            @Override
            public void run() {
                try {
                    latch.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public String taskName() {
                return "stuck";
            }
        }
        scheduler.schedule(new Stuck(never), at(SECOND));
        time.setPatience(Duration.ofSeconds(2));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceBy(HOUR))
                .withMessageContaining("The run of stuck must end")
                .withMessageContaining("Stuck.run")
                .withMessageContaining("after 2 s of real time");
        never.countDown();
    }

    @Test
    void runThatIsBusyIsNotSaidToWait() {
        AtomicBoolean isOver = new AtomicBoolean();
        scheduler.schedule(
                () -> {
                    while (!isOver.get()) {
                        Thread.onSpinWait();
                    }
                },
                at(SECOND));
        time.setPatience(SECOND);
        try {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> time.advanceBy(HOUR))
                    .withMessageContaining(" must end, but is still running, on thread ")
                    .withMessageContaining("after 1 s of real time");
        } finally {
            isOver.set(true);
        }
    }

    @Test
    void taskThatComesForEverMeetsTheCapWhichNamesIt() {
        time.setMaxRuns(10_000);
        ScheduledFuture<?> ignored =
                scheduler.getTaskRegistry().schedule("poll", () -> {}, TaskSchedule.fixedRate(Duration.ofMillis(1)));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceBy(Duration.ofHours(1_000)))
                .withMessageStartingWith("advanceBy(PT1000H) has made more than 10000 runs and got from "
                        + "2030-01-01T00:00:00Z to 2030-01-01T00:00:10Z only; most were of poll (10001)");
    }

    @Test
    void verbsThatArePartsOfOneShareItsCap() {
        ScheduledFuture<?> ignored =
                scheduler.getTaskRegistry().schedule("poll", () -> {}, TaskSchedule.fixedRate(SECOND));
        time.setMaxRuns(10);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.inOneCap("whole()", cap -> {
                    time.advanceBy(Duration.ofSeconds(7));
                    cap.countRunOf("own");
                    time.advanceBy(Duration.ofSeconds(7));
                }))
                .withMessageStartingWith("whole() has made more than 10 runs and got from 2030-01-01T00:00:00Z to "
                        + "2030-01-01T00:00:09Z only; most were of poll (10), own (1)");
        time.advanceBy(Duration.ofSeconds(7));
    }

    @Test
    void twoSchedulersLiveInOneTime() {
        WheelTaskScheduler other = time.newScheduler();
        scheduler.scheduleAtFixedRate(logged("one"), at(SECOND), Duration.ofSeconds(2));
        other.scheduleAtFixedRate(logged("other"), at(Duration.ofSeconds(2)), Duration.ofSeconds(2));
        time.advanceBy(Duration.ofSeconds(4));
        assertThat(log).containsExactly("one at PT1S", "other at PT2S", "one at PT3S", "other at PT4S");
    }

    @Test
    void executorThatIsBuiltByHandLivesInItToo() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .wallClock(time.clock())
                .build()) {
            time.drive(executor);
            WheelTimer<?> timer = executor.schedule(logged("timer"), 1, TimeUnit.HOURS);
            time.advanceBy(HOUR);
            assertThat(log).containsExactly("timer at PT1H");
            assertThat(timer.isDone()).isTrue();
        }
    }

    @Test
    void groupsLiveInTheTimeOfTheirExecutor() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .wallClock(time.clock())
                .build()) {
            time.drive(executor);
            WheelTimer<?> own = executor.scheduleAtFixedRate(logged("own"), 1, 2, TimeUnit.HOURS);
            WheelTimer<?> later = executor.schedule(
                    () -> {
                        WheelTimer<?> ignored =
                                executor.group("group").scheduleAtFixedRate(logged("group"), 1, 2, TimeUnit.HOURS);
                    },
                    1,
                    TimeUnit.HOURS);
            time.advanceBy(Duration.ofHours(4));
            assertThat(log).containsExactly("own at PT1H", "group at PT2H", "own at PT3H", "group at PT4H");
            assertThat(later.isDone()).isTrue();
            assertThat(own.cancel(false)).isTrue();
        }
    }

    @Test
    void drivingTwiceChangesNothing() {
        time.drive(scheduler);
        time.drive(scheduler.getWheelScheduledExecutor());
        scheduler.scheduleAtFixedRate(logged("rate"), HOUR);
        time.advanceBy(HOUR);
        assertThat(log).containsExactly("rate at PT0S", "rate at PT1H");
    }

    @Test
    void schedulerOfAnotherTimeIsRefused() {
        WheelTaskScheduler late = new WheelTaskScheduler();
        late.initialize();
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> time.drive(late))
                    .withMessage("scheduler must be driven before it is initialized, was initialized in another time");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> time.drive(late.getWheelScheduledExecutor()))
                    .withMessage("executor must be built with timeSource() of this time, was built with another time"
                            + " source");
            time.advanceBy(HOUR);
        } finally {
            late.shutdown();
        }
        time.drive(late);
        late.initialize();
        late.schedule(logged("late"), at(Duration.ofHours(2)));
        time.advanceBy(HOUR);
        assertThat(log).containsExactly("late at PT2H");
        late.shutdown();
    }

    @Test
    void timeIsNotLostWhileADayOfSecondsPasses() {
        AtomicInteger runs = new AtomicInteger();
        scheduler.schedule(runs::incrementAndGet, new CronTrigger("* * * * * *"));
        time.advanceBy(Duration.ofHours(2));
        assertThat(runs).hasValue(7_200);
    }

    @Test
    void badInputIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advanceBy(Duration.ofSeconds(-1)))
                .withMessage("duration must not be negative, was PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advanceTo(at(Duration.ofSeconds(-1))))
                .withMessage("instant must not be before 2030-01-01T00:00:00Z, was 2029-12-31T23:59:59Z");
        assertThatNullPointerException().isThrownBy(() -> time.advanceTo(null)).withMessage("instant must not be null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.setMaxRuns(0))
                .withMessage("maxRuns must be positive, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.setPatience(Duration.ZERO))
                .withMessage("patience must be positive, was PT0S");
    }

    @Test
    void wallClockCanBeSetBesideAnIdleScheduler() {
        WheelTaskScheduler idle = time.newScheduler();
        time.jumpWallClock(HOUR);
        scheduler.schedule(() -> log.add("ran"), time.now().plus(HOUR));
        idle.execute(() -> log.add("idle"));
        time.advanceBy(HOUR);
        assertThat(log).containsExactlyInAnyOrder("ran", "idle");
    }

    @Test
    void modeHoldsInVirtualTimeToo() {
        scheduler.scheduleAtFixedRate(logged("rate"), Duration.ofSeconds(10));
        scheduler.setMode(SchedulerMode.HALTED);
        time.advanceBy(Duration.ofSeconds(25));
        assertThat(log).isEmpty();
        scheduler.setMode(SchedulerMode.RUN);
        assertThat(log).isEmpty();
        time.advanceBy(Duration.ofSeconds(10));
        assertThat(log).containsExactly("rate at PT25S", "rate at PT25S", "rate at PT25S", "rate at PT30S");
        assertThat(scheduler.getMode()).isEqualTo(SchedulerMode.RUN);
        scheduler.setMode(SchedulerMode.OFF);
        ScheduledFuture<?> never =
                scheduler.getTaskRegistry().schedule("x", logged("x"), TaskSchedule.fixedRate(SECOND));
        scheduler.setMode(SchedulerMode.RUN);
        log.clear();
        time.advanceBy(SECOND);
        assertThat(log).isEmpty();
        assertThat(never.isDone()).isFalse();
    }

    @RepeatedTest(20)
    void triggeredTaskRunsAtOnceHaltedOrNot() {
        scheduler.getTaskRegistry().schedule("series", logged("series"), TaskSchedule.fixedRate(HOUR));
        ScheduledFuture<?> once =
                scheduler.getTaskRegistry().schedule("once", logged("once"), TaskSchedule.once(at(HOUR)));
        scheduler.setMode(SchedulerMode.HALTED);
        scheduler.getTaskRegistry().trigger("series");
        scheduler.getTaskRegistry().trigger("once");
        time.advanceBy(Duration.ZERO);
        assertThat(log).containsExactlyInAnyOrder("series at PT0S", "once at PT0S");
        assertThat(once.isDone()).isTrue();
        scheduler.getTaskRegistry().retime("series", TaskSchedule.fixedDelay(SECOND));
        log.clear();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(log).isEmpty();
    }

    @Test
    void runThatShutsAnotherSchedulerDownDoesNotHang() {
        WheelTaskScheduler other = time.newScheduler();
        other.setWaitForTasksToCompleteOnShutdown(true);
        ScheduledFuture<?> dropped = other.schedule(logged("dropped"), at(HOUR));
        scheduler.schedule(other::shutdown, at(SECOND));
        time.advanceBy(Duration.ofHours(2));
        assertThat(dropped.isCancelled()).isTrue();
        assertThat(other.getWheelScheduledExecutor().isTerminated()).isTrue();
    }

    @Test
    void clockThatFailsOnceDoesNotStopTime() {
        AtomicInteger failures = new AtomicInteger(1);
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .wallClock(() -> {
                    if (Thread.currentThread().getName().endsWith("-tick") && failures.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("on purpose");
                    }
                    return time.now();
                })
                .tickThreadFactory(task -> new Thread(task, "own-tick"))
                .build()) {
            time.drive(executor);
            WheelTimer<?> ignored = executor.scheduleAt(logged("ran"), at(SECOND));
            time.advanceBy(HOUR);
            assertThat(log).containsExactly("ran at PT1S");
        }
    }

    /**
     * The first worker comes for the first run, by a thread that the tick thread starts, and tries to start again in
     * real time.
     */
    @Test
    void timeWaitsForAThreadThatCannotBeStarted() {
        AtomicInteger failures = new AtomicInteger(3);
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .tickThreadFactory(task -> new Thread(task, "own-tick") {
                    @Override
                    public ClassLoader getContextClassLoader() {
                        // It is asked for when a thread is made that is to be like this one.
                        if (currentThread() == this && failures.getAndDecrement() > 0) {
                            throw new OutOfMemoryError("on purpose: unable to create native thread");
                        }
                        return super.getContextClassLoader();
                    }
                })
                .build()) {
            time.drive(executor);
            WheelTimer<?> ignored = executor.schedule(logged("ran"), 1, TimeUnit.SECONDS);
            assertThat(failures).hasValue(3);
            time.advanceBy(HOUR);
            assertThat(log).containsExactly("ran at PT1S");
            assertThat(failures).hasNegativeValue();
        }
    }

    @Test
    void yearsPassBesideAPausedOverfullScheduler() {
        for (int i = 0; i < 5_000; i++) {
            scheduler.schedule(() -> log.add("ran"), at(SECOND));
        }
        scheduler.stop();
        time.advanceBy(Duration.ofDays(365));
        assertThat(log).isEmpty();
        scheduler.start();
        time.advanceBy(SECOND);
        assertThat(log).hasSize(5_000);
    }

    @Test
    void timeEndsAfterAHundredYears() {
        time.advanceBy(Duration.ofDays(36_000));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advanceBy(Duration.ofDays(36_000)))
                .withMessageStartingWith(
                        "duration must end within a hundred years of virtual time, of which PT12600H are left");
        assertThatIllegalArgumentException().isThrownBy(() -> time.suspend(Duration.ofSeconds(Long.MAX_VALUE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advanceTo(Instant.MAX))
                .withMessage("instant must be within a hundred years of virtual time, of which PT12600H are left, was "
                        + Instant.MAX);
        time.setPatience(Duration.ofSeconds(Long.MAX_VALUE));
        time.advanceBy(SECOND);
    }

    @Test
    void runAfterTheEndOfTimeIsNotReached() {
        Instant due = at(Duration.ofDays(40_000));
        scheduler.schedule(logged("never"), due);
        assertThat(time.nextDue()).contains(due);
        assertThatIllegalArgumentException()
                .isThrownBy(time::advanceToNext)
                .withMessage("The next run must be due within a hundred years of virtual time, of which PT876600H are"
                        + " left, was " + due);
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START);
    }

    @Test
    void closingLeavesNoThread() throws InterruptedException {
        VirtualTime own = VirtualTime.create();
        WheelTaskScheduler closed = own.newScheduler();
        closed.setThreadNamePrefix("closed-");
        closed.scheduleAtFixedRate(() -> {}, SECOND);
        own.advanceBy(Duration.ofSeconds(5));
        own.close();
        assertThat(closed.getWheelScheduledExecutor().awaitTermination(30, TimeUnit.SECONDS))
                .isTrue();
    }
}
