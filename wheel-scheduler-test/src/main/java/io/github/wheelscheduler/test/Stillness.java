package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.internal.DurationWords.about;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.RunningTask;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits, in real time, until all threads have done their work of the present virtual time. */
final class Stillness {

    /** The number of looks without a pause: threads hand over to each other within microseconds. */
    private static final int QUICK_LOOKS = 2_000;

    private static final long PAUSE_NANOS = 50_000;

    /** More runs than these are on their way only if they start each other. */
    private static final long MANY_RUNS = 1_000;

    private static final int SETTLING = 5;

    private final VirtualTimeSource source;
    private final List<Driven> driven;
    private volatile long patienceNanos = Duration.ofSeconds(10).toNanos();

    /** The time that runs were seen to sleep or wait in the present verb, in all and by run. */
    private long sleptNanos;

    private final Map<String, Long> seenNanos = new HashMap<>();

    Stillness(VirtualTimeSource source, List<Driven> driven) {
        this.source = source;
        this.driven = driven;
    }

    void setPatience(Duration patience) {
        patienceNanos = TimeUnit.NANOSECONDS.convert(patience);
    }

    /** Begins a verb, which has a patience of its own. */
    void begin() {
        sleptNanos = 0;
        seenNanos.clear();
    }

    void await() {
        if (!isStillSoon(this::isStill)) {
            long firedBefore = Driven.fired(driven);
            await(this::isStill, () -> whatIsGoingOn(Driven.fired(driven) - firedBefore), true);
        }
    }

    void await(BooleanSupplier condition, Supplier<String> failure) {
        if (!isStillSoon(condition)) {
            await(condition, failure, false);
        }
    }

    /** Waits for a part of the patience at most: a run that an earlier test has left may never end. */
    void settle(BooleanSupplier isWanted) {
        long startNanos = System.nanoTime();
        while (isWanted.getAsBoolean()
                && !isStillSoon(this::isStill)
                && System.nanoTime() - startNanos < patienceNanos / SETTLING
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the threads that are waited for may need this processor
    private static boolean isStillSoon(BooleanSupplier condition) {
        for (int i = 0; i < QUICK_LOOKS; i++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            Thread.yield();
        }
        return false;
    }

    private void await(BooleanSupplier condition, Supplier<String> failure, boolean isForRuns) {
        long startNanos = System.nanoTime();
        long lookNanos = startNanos;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNanos > patienceNanos) {
                throw new AssertionError(
                        failure.get() + " (after " + exactly(Duration.ofNanos(patienceNanos)) + " of real time)");
            }
            if (isForRuns) {
                failIfRunsSleep();
            }
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new AssertionError("Interrupted while it waited. " + failure.get());
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
            long nowNanos = System.nanoTime();
            if (isForRuns) {
                noteRuns(nowNanos - lookNanos);
            }
            lookNanos = nowNanos;
        }
    }

    /**
     * Notes the runs that have gone on for so long: each may end soon, and all together may keep a verb without end.
     */
    private void noteRuns(long nanos) {
        boolean sleeps = false;
        for (RunningTask run : running()) {
            seenNanos.merge(NamedTask.of(run.task()), nanos, Long::sum);
            sleeps |= isAsleep(run.thread().getState());
        }
        sleptNanos += sleeps ? nanos : 0;
    }

    private void failIfRunsSleep() {
        if (sleptNanos > patienceNanos) {
            throw new AssertionError("Runs must not sleep or wait for real time, but have done so for "
                    + about(Duration.ofNanos(sleptNanos)) + " in all, more than "
                    + exactly(Duration.ofNanos(patienceNanos))
                    + " since the verb began; most were of " + mostSeen() + stacksOfRuns());
        }
    }

    private static boolean isAsleep(Thread.State state) {
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING || state == Thread.State.BLOCKED;
    }

    private String mostSeen() {
        return seenNanos.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(run -> run.getKey() + " (" + about(Duration.ofNanos(run.getValue())) + ")")
                .orElse("tasks that end at once");
    }

    private String stacksOfRuns() {
        return running().stream().map(run -> stackOf(run.thread())).collect(Collectors.joining());
    }

    private boolean isStill() {
        // The tick threads have slept from the first look to the last one, so every hand-over lies between the two.
        long parks = source.parks();
        if (!source.isAwaitedBy(tickThreads())) {
            return false;
        }
        for (Driven one : driven) {
            if (!one.isQuiet()) {
                return false;
            }
        }
        // Counted again: a worker that is quiet now may have started a run meanwhile.
        return source.isAwaitedBy(tickThreads()) && source.parks() == parks;
    }

    private int tickThreads() {
        int tickThreads = 0;
        for (Driven one : driven) {
            tickThreads += one.hasTickThread() ? 1 : 0;
        }
        return tickThreads;
    }

    private List<RunningTask> running() {
        return driven.stream().flatMap(Driven::running).toList();
    }

    private String whatIsGoingOn(long fired) {
        List<RunningTask> running = running();
        if (fired > MANY_RUNS) {
            return "The schedulers must come to rest, but immediate tasks repeat endlessly: " + fired
                    + " runs at one time, most were of " + mostSeen();
        }
        if (running.isEmpty()) {
            return "The schedulers must come to rest, but did not; tasks are " + Driven.describe(driven);
        }
        return running.stream()
                .map(run -> "The run of " + NamedTask.of(run.task()) + " must end, but "
                        + (isAsleep(run.thread().getState())
                                ? "waits for something that does not come in virtual time"
                                : "is still running")
                        + ", on thread " + run.thread().getName() + stackOf(run.thread()))
                .collect(Collectors.joining(System.lineSeparator()));
    }

    private static String stackOf(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .map(frame -> System.lineSeparator() + "\tat " + frame)
                .collect(Collectors.joining());
    }
}
