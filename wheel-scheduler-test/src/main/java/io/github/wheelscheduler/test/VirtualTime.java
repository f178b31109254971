package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves when a test says so, for schedulers that are otherwise those of production: the same wheel, inbox,
 * futures and workers. It goes from deadline to deadline, so a year of hourly runs takes a second.
 *
 * <p>No scheduled run starts before the first verb below, even with a delay of 0, so that a test can prepare the
 * objects that tasks use. Tasks that are executed, submitted or triggered by hand run at once, as callers may wait for
 * them; they take no part in the order of runs. Each scheduled run sees on both clocks exactly the time at which it is
 * due (by the clock that it was scheduled by, if the wall clock is set meanwhile). Runs of one instant follow each
 * other in the order of {@link RunOrder}.
 *
 * <pre>{@code
 * try (VirtualTime time = VirtualTime.startingAt(Instant.parse("2030-03-30T23:00:00Z"), ZoneId.of("Europe/Berlin"))) {
 *     WheelTaskScheduler scheduler = time.newScheduler();
 *     scheduler.schedule(report, new CronTrigger("0 0 6 * * *"));
 *     time.advanceBy(Duration.ofDays(1));
 *     assertThat(report.runs()).isEqualTo(1);
 * }
 * }</pre>
 *
 * <p>Nothing here is static: each instance has its own time, and tests may run side by side. One thread at a time calls
 * a verb, and none of the scheduler's own threads does: while a verb goes on, others fail with an {@link
 * IllegalStateException} and change nothing. A run that waits for real time keeps its verb waiting: after a {@linkplain
 * #setPatience limit} the verb fails with the name and the stack of that run. A {@linkplain #setMaxRuns cap} ends a
 * verb whose tasks come again without end.
 */
public final class VirtualTime implements AutoCloseable {

    /** When virtual time starts, unless it is told otherwise. */
    public static final Instant DEFAULT_START = Instant.parse("2030-01-01T00:00:00Z");

    /** Nanoseconds in a long do not reach much farther. */
    private static final long LAST_NANOS = Duration.ofDays(36_525).toNanos();

    private final VirtualTimeSource source = new VirtualTimeSource();
    private final VirtualClock clock;
    private final List<Driven> driven = new CopyOnWriteArrayList<>();
    private final List<WheelTaskScheduler> owned = new CopyOnWriteArrayList<>();
    private final Stillness stillness = new Stillness(source, driven);
    private final Pollers pollers = new Pollers(source, stillness);
    private final Turn turn = new Turn(this::isRun);

    /** The cap of the calling thread's verbs that are parts of one verb of durable tasks. */
    @SuppressWarnings("ThreadLocalUsage") // each time has verbs of its own
    private final ThreadLocal<RunCap> commonCap = new ThreadLocal<>();

    private boolean clockOnly;
    private long maxRuns = 1_000_000;
    private RunOrder order = RunOrder.SCHEDULED;
    private long seed;
    private SplittableRandom random = new SplittableRandom();

    private VirtualTime(Instant start, ZoneId zone) {
        this.clock = new VirtualClock(source, zone, start);
        source.setMover(this::moveFor);
        turn.atBegin(this::drawSeed);
    }

    /** Returns virtual time that starts at {@link #DEFAULT_START}, in UTC. */
    public static VirtualTime create() {
        return startingAt(DEFAULT_START, ZoneId.of("UTC"));
    }

    /** Returns virtual time that starts there, with a wall clock in that zone. */
    public static VirtualTime startingAt(Instant start, ZoneId zone) {
        Objects.requireNonNull(start, "start must not be null");
        Objects.requireNonNull(zone, "zone must not be null");
        return new VirtualTime(start, zone);
    }

    /** Returns the wall clock, for other objects that are to see this time. */
    public Clock clock() {
        return clock;
    }

    /** Returns the time on the wall clock. */
    public Instant now() {
        return clock.instant();
    }

    /** Returns the monotonic clock, for an executor that is built by hand; {@link #drive} makes this time drive it. */
    public TimeSource timeSource() {
        return source;
    }

    // Driven schedulers

    /** Returns a new scheduler in this time, initialized, with the defaults. It is shut down when this is closed. */
    public WheelTaskScheduler newScheduler() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        drive(scheduler);
        owned.add(scheduler);
        scheduler.initialize();
        return scheduler;
    }

    /**
     * Gives a scheduler both clocks of this time. Call it before the scheduler is initialized; another call changes
     * nothing.
     *
     * @throws IllegalStateException if the scheduler has been initialized in another time
     */
    public void drive(WheelTaskScheduler scheduler) {
        if (scheduler.isInitialized() && livesElsewhere(scheduler.getWheelScheduledExecutor())) {
            throw new IllegalStateException(
                    "scheduler must be driven before it is initialized, was initialized in another time");
        }
        driveOnce(scheduler);
    }

    /** Does the same for a scheduler that is about to be initialized, perhaps once more. */
    void driveOnce(WheelTaskScheduler scheduler) {
        synchronized (driven) {
            if (driven.stream().noneMatch(one -> one.isOf(scheduler))) {
                scheduler.setTimeSource(source);
                scheduler.setClock(clock);
                driven.add(new Driven(scheduler));
            }
        }
    }

    /**
     * Drives an executor that was built with this {@link #timeSource} and this {@link #clock}. Without this call, none
     * of its tasks ever runs; another call changes nothing.
     *
     * @throws IllegalArgumentException if it was built with another time source
     */
    public void drive(WheelScheduledExecutor executor) {
        if (executor.timeSource() != source) {
            throw new IllegalArgumentException(
                    "executor must be built with timeSource() of this time, was built with another time source");
        }
        synchronized (driven) {
            if (driven.stream().noneMatch(one -> one.isOf(executor))) {
                driven.add(new Driven(executor));
            }
        }
    }

    /** Whether it lives in another time; the scheduler of one that has been shut down may get another in this time. */
    private boolean livesElsewhere(WheelScheduledExecutor executor) {
        return executor.timeSource() != source && !executor.isShutdown();
    }

    Turn turn() {
        return turn;
    }

    // Limits

    /**
     * Says whether the test moves the clock alone. If not, as by default, time that passes although no scheduler lives
     * in it fails the test: that nothing runs would show nothing.
     */
    public void setClockOnly(boolean clockOnly) {
        this.clockOnly = clockOnly;
    }

    /**
     * Sets how long, in real time, a verb waits for runs to end and threads to come to rest before it fails; 10 seconds
     * by default.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public void setPatience(Duration patience) {
        Objects.requireNonNull(patience, "patience must not be null");
        if (patience.isZero() || patience.isNegative()) {
            throw new IllegalArgumentException("patience must be positive, was " + patience);
        }
        stillness.setPatience(patience);
    }

    /**
     * Sets how many runs one verb may make before it fails, a million by default. Runs in the transaction of a test
     * count, too.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public void setMaxRuns(long maxRuns) {
        if (maxRuns <= 0) {
            throw new IllegalArgumentException("maxRuns must be positive, was " + maxRuns);
        }
        this.maxRuns = maxRuns;
    }

    /** Runs an action whose verbs make no more runs in all than one verb may. */
    void inOneCap(String verb, Consumer<RunCap> action) {
        RunCap outer = commonCap.get();
        if (outer != null) {
            action.accept(outer);
            return;
        }
        RunCap cap = new RunCap(verb, maxRuns, driven, clock);
        commonCap.set(cap);
        try {
            action.accept(cap);
        } finally {
            commonCap.remove();
        }
    }

    private RunCap capOf(String verb) {
        RunCap common = commonCap.get();
        return common != null ? common : new RunCap(verb, maxRuns, driven, clock);
    }

    /** Sets how runs come that are due at one instant; one after the other by default. */
    public void setOrder(RunOrder order) {
        Objects.requireNonNull(order, "order must not be null");
        setOrder(order, order == RunOrder.RANDOM ? new Random().nextLong() : 0);
    }

    /**
     * Lets runs that are due at one instant come one after the other in the random order of that seed, as a failure has
     * named it.
     */
    public void setRandomOrder(long seed) {
        setOrder(RunOrder.RANDOM, seed);
    }

    private void setOrder(RunOrder newOrder, long newSeed) {
        turn.run("setOrder(" + newOrder + ")", () -> changeOrder(newOrder, newSeed));
    }

    private void changeOrder(RunOrder newOrder, long newSeed) {
        order = newOrder;
        seed = newSeed;
        random = new SplittableRandom(newSeed);
    }

    /**
     * Draws another seed for a test that begins, if the order is random, so that it can be repeated alone; not while
     * another test moves this time.
     */
    private void drawSeed() {
        turn.runIfFree(() -> {
            if (order == RunOrder.RANDOM) {
                changeOrder(order, new Random().nextLong());
            }
        });
    }

    /**
     * Waits until what earlier tests have left has ended, for a moment at most; not while another test moves this time.
     * A verb that one of their runs calls meanwhile is refused at once.
     */
    void settle() {
        stillness.settle(turn::isFree);
    }

    /** Returns the seed of the random order; nothing if the order is not random. */
    public OptionalLong seed() {
        return order == RunOrder.RANDOM ? OptionalLong.of(seed) : OptionalLong.empty();
    }

    // Verbs

    /**
     * Lets so much time pass, from deadline to deadline. Returns when all due runs have ended, runs that were scheduled
     * meanwhile among them.
     *
     * @throws IllegalArgumentException if the duration is negative or too long
     * @throws AssertionError if a run does not end, or there are more runs than the cap allows
     */
    public void advanceBy(Duration duration) {
        String verb = "advanceBy(" + duration + ")";
        turn.run(verb, () -> advance(verb, after("duration", duration), () -> false));
    }

    /**
     * Lets time pass as {@link #advanceBy} does, until the wall clock shows that instant.
     *
     * @throws IllegalArgumentException if it shows a later one already, or the instant is too far in the future
     */
    public void advanceTo(Instant instant) {
        Objects.requireNonNull(instant, "instant must not be null");
        String verb = "advanceTo(" + instant + ")";
        turn.run(verb, () -> {
            if (instant.isBefore(now())) {
                throw new IllegalArgumentException("instant must not be before " + now() + ", was " + instant);
            }
            Duration ahead = Duration.between(now(), instant);
            requireLeft("instant must be", ahead, instant);
            advance(verb, source.look() + ahead.toNanos(), () -> false);
        });
    }

    /** Runs the tasks that are due now, and the tasks that they schedule for now. */
    public void runCurrent() {
        turn.run("runCurrent()", () -> advance("runCurrent()", source.look(), () -> false));
    }

    /**
     * Runs the tasks that are due now; if none is, lets time pass to the next deadline and runs the tasks that are due
     * then.
     *
     * @return whether anything was pending
     * @throws IllegalArgumentException if the next deadline is too far in the future
     */
    public boolean advanceToNext() {
        boolean[] isAny = {false};
        turn.run("advanceToNext()", () -> {
            stillness.begin();
            pollers.begin();
            Optional<Duration> next = untilNextDue();
            isAny[0] = next.isPresent();
            Duration ahead = next.orElse(Duration.ZERO);
            requireLeft("The next run must be due", ahead, now().plus(ahead));
            advance("advanceToNext()", source.look() + ahead.toNanos(), () -> false);
        });
        return isAny[0];
    }

    /** Returns when, on the wall clock as it is set now, the next run is due; nothing if none is pending. */
    public Optional<Instant> nextDue() {
        return turn.look("nextDue()", stillness::begin, () -> untilNextDue().map(now()::plus));
    }

    /**
     * Lets time pass until the condition holds. The condition is read after the runs of each instant, and at the limit.
     *
     * @param limit so much time may pass
     * @throws AssertionError if it does not hold within the limit
     */
    public void advanceUntil(BooleanSupplier condition, Duration limit) {
        advanceUntil(condition, limit, "The condition must hold", () -> "");
    }

    /**
     * The same.
     *
     * @param rule the beginning of the message, where it does not
     * @param found more for the message, to be asked for then
     */
    void advanceUntil(BooleanSupplier condition, Duration limit, String rule, Supplier<String> found) {
        advanceUntil("advanceUntil(..., " + limit + ")", condition, limit, rule, found);
    }

    /**
     * Lets time pass until nothing is pending any more.
     *
     * @param limit so much time may pass: a task that repeats is pending for ever
     * @throws AssertionError if anything is pending then
     */
    public void advanceUntilIdle(Duration limit) {
        advanceUntil(
                "advanceUntilIdle(" + limit + ")",
                () -> untilNextDue().isEmpty(),
                limit,
                "Nothing must be pending any more, and no task repeat,",
                () -> "");
    }

    private void advanceUntil(
            String verb, BooleanSupplier condition, Duration limit, String rule, Supplier<String> found) {
        turn.run(verb, () -> {
            Instant before = now();
            boolean[] holds = {false};
            advance(verb, after("limit", limit), () -> {
                holds[0] = condition.getAsBoolean();
                return holds[0];
            });
            // The limit itself may fulfil it.
            if (!holds[0] && !condition.getAsBoolean()) {
                throw new AssertionError(rule + " within " + exactly(limit) + " of virtual time after " + before
                        + ", but that did not happen" + found.get() + "; tasks are " + Driven.describe(driven));
            }
        });
    }

    /**
     * Sets the wall clock forward or back, as a user or a suspended Linux machine does; runs follow when time passes.
     */
    public void jumpWallClock(Duration by) {
        turn.run("jumpWallClock(" + by + ")", () -> {
            stillness.begin();
            stillness.await();
            clock.jump(by);
            driven.forEach(Driven::checkWallClock);
            stillness.await();
        });
    }

    /**
     * Lets so much time pass on both clocks while nothing runs, as in a stopped process, and then runs the due tasks.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public void suspend(Duration duration) {
        String verb = "suspend(" + duration + ")";
        turn.run(verb, () -> {
            long endNanos = after("duration", duration);
            failUnlessDriven(verb);
            stillness.begin();
            stillness.await();
            driven.forEach(Driven::letNoneGo);
            stillness.await();
            source.moveTo(endNanos);
            advance(verb, source.look(), () -> false);
        });
    }

    /**
     * Waits, in real time, until a task with that id is registered, as another thread may do that late.
     *
     * @throws AssertionError if none is within the {@linkplain #setPatience limit}
     */
    public void awaitPending(String id) {
        stillness.await(
                () -> driven.stream().anyMatch(scheduler -> scheduler.knows(id)),
                () -> "A task " + id + " must be registered; registered are: " + Driven.describe(driven));
    }

    private Optional<Duration> untilNextDue() {
        stillness.await();
        return Stream.concat(driven.stream().flatMap(Driven::untilFirstDue), pollers.untilFirstDue())
                .min(Duration::compareTo);
    }

    /**
     * Lets time pass for a thread that waits outside of runs, as one that cancels a durable task; false if it may not.
     */
    private boolean moveFor(long nanos) {
        return !isRun() && turn.tryRun("pass()", () -> advance("pass()", source.look() + nanos, () -> false));
    }

    /** Whether the calling thread runs a task. */
    private boolean isRun() {
        Thread caller = Thread.currentThread();
        return driven.stream().flatMap(Driven::running).anyMatch(run -> run.thread() == caller);
    }

    /** Fails if no scheduler lives in this time, unless the test moves the clock alone. */
    private void failUnlessDriven(String verb) {
        if (!clockOnly && driven.stream().noneMatch(Driven::isThere)) {
            throw new AssertionError(
                    verb + " must move a scheduler, but none uses this time: wheel.scheduler.enabled may be false, "
                            + "@EnableScheduling missing, another TaskScheduler used instead of WheelTaskScheduler, or "
                            + "a scheduler not initialized, or not driven. If the test moves the clock alone, set "
                            + "clockOnly = true, or call setClockOnly(true)");
        }
    }

    private void advance(String verb, long endNanos, BooleanSupplier until) {
        failUnlessDriven(verb);
        stillness.begin();
        stillness.await();
        RunCap cap = capOf(verb);
        pollers.begin();
        try {
            pollers.poll(cap);
            runWhatIsDue(cap);
            while (!until.getAsBoolean()) {
                // A look at a scheduler, or a new task, has woken a tick thread.
                stillness.await();
                long nextNanos = Math.min(source.nextWakeUp(), pollers.nextNanos(cap));
                if (nextNanos > endNanos) {
                    source.moveTo(endNanos);
                    break;
                }
                source.moveTo(Math.max(nextNanos, source.look()));
                stillness.await();
                cap.count(Driven.goneOf(driven));
                pollers.poll(cap);
                runWhatIsDue(cap);
            }
        } finally {
            driven.forEach(Driven::letNoneGo);
            source.sumUp();
        }
        stillness.await();
    }

    /**
     * Lets timers go until none is due. A single wheel orders its timers itself, so timers that become due later may
     * go, too.
     */
    private void runWhatIsDue(RunCap cap) {
        if (order == RunOrder.RANDOM || (order == RunOrder.SCHEDULED && wheels().size() > 1)) {
            runOneByOne(cap);
            return;
        }
        long gone;
        do {
            wheels().forEach(one -> one.letGo(order.atATime()));
            stillness.await();
            gone = Driven.goneOf(driven);
            cap.count(gone);
        } while (gone > 0);
    }

    /** Lets one timer go after the other, which are chosen from all that are due on any wheel. */
    private void runOneByOne(RunCap cap) {
        List<Driven> passedBy = new ArrayList<>();
        driven.forEach(Driven::letNoneGo);
        stillness.await();
        for (Driven next = next(passedBy); next != null; next = next(passedBy)) {
            next.letGo(1);
            stillness.await();
            long gone = Driven.goneOf(driven);
            cap.count(gone);
            if (gone == 0) {
                // The due run was refused or cancelled.
                next.letNoneGo();
                passedBy.add(next);
            } else {
                passedBy.clear();
            }
        }
    }

    /** Returns the wheel whose turn it is, which knows what goes; null if nothing is due. */
    private @Nullable Driven next(List<Driven> passedBy) {
        List<Driven> wheels = wheels();
        wheels.removeAll(passedBy);
        return order == RunOrder.RANDOM ? Driven.anyOf(wheels, random) : Driven.firstOf(wheels);
    }

    /** Returns the wheels in the order in which they have joined. */
    private List<Driven> wheels() {
        return new ArrayList<>(driven.stream().filter(Driven::hasTickThread).toList());
    }

    /**
     * Returns the instant at which a limit ends.
     *
     * @throws IllegalArgumentException if the limit is negative or too long
     */
    Instant endOf(Duration limit) {
        long ignored = after("limit", limit);
        return now().plus(limit);
    }

    /** Returns the virtual time that lies so far ahead. */
    private long after(String what, Duration ahead) {
        Objects.requireNonNull(ahead, what + " must not be null");
        if (ahead.isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative, was " + ahead);
        }
        requireLeft(what + " must end", ahead, ahead);
        return source.look() + ahead.toNanos();
    }

    private void requireLeft(String rule, Duration ahead, Object value) {
        Duration left = Duration.ofNanos(LAST_NANOS - source.look());
        if (ahead.compareTo(left) > 0) {
            throw new IllegalArgumentException(
                    rule + " within a hundred years of virtual time, of which " + left + " are left, was " + value);
        }
    }

    /** Shuts the schedulers down that came from {@link #newScheduler}; what is pending is dropped. */
    @Override
    public void close() {
        owned.forEach(WheelTaskScheduler::shutdown);
    }

    @Override
    public String toString() {
        return "VirtualTime[" + now() + ", tasks = " + Driven.describe(driven) + "]";
    }
}
