package io.github.wheelscheduler.test;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.RunningTask;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits, in real time, until all threads have done what is to be done at the time that it is. */
final class Stillness {

    /** So often it looks again at once: threads hand over to each other within microseconds. */
    private static final int QUICK_LOOKS = 2_000;

    private static final long PAUSE_NANOS = 50_000;

    private final VirtualTimeSource source;
    private final List<Driven> driven;
    private volatile long patienceNanos = Duration.ofSeconds(10).toNanos();

    Stillness(VirtualTimeSource source, List<Driven> driven) {
        this.source = source;
        this.driven = driven;
    }

    void setPatience(Duration patience) {
        patienceNanos = TimeUnit.NANOSECONDS.convert(patience);
    }

    void await() {
        await(this::isStill, this::whatIsGoingOn);
    }

    void await(BooleanSupplier condition, Supplier<String> failure) {
        for (int i = 0; i < QUICK_LOOKS; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Thread.onSpinWait();
        }
        long startNanos = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNanos > patienceNanos) {
                throw new AssertionError(
                        failure.get() + " (after " + Duration.ofNanos(patienceNanos) + " of real time)");
            }
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new AssertionError("Interrupted while it waited. " + failure.get());
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    private boolean isStill() {
        // The tick threads have slept from the first look to the last one, so whatever was on its way lies between.
        long parks = source.parks();
        int tickThreads = 0;
        for (Driven one : driven) {
            tickThreads += one.hasTickThread() ? 1 : 0;
        }
        if (!source.isAwaitedBy(tickThreads)) {
            return false;
        }
        for (Driven one : driven) {
            if (!one.isQuiet()) {
                return false;
            }
        }
        return source.isAwaitedBy(tickThreads) && source.parks() == parks;
    }

    private String whatIsGoingOn() {
        List<RunningTask> running = driven.stream().flatMap(Driven::running).toList();
        if (running.isEmpty()) {
            return "The schedulers must come to rest, but did not; tasks are " + Driven.describe(driven);
        }
        return running.stream()
                .map(run -> "The run of " + NamedTask.of(run.task())
                        + " must end, but waits for something that does not come in" + " virtual time, on thread "
                        + run.thread().getName() + stackOf(run.thread()))
                .collect(Collectors.joining(System.lineSeparator()));
    }

    private static String stackOf(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .map(frame -> System.lineSeparator() + "\tat " + frame)
                .collect(Collectors.joining());
    }
}
