package io.github.wheelscheduler.soak;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/** Keeps account of repeating timers; half of them have a fixed rate, half a fixed delay. Runs allocate nothing. */
final class SeriesLedger {

    private final WheelScheduledExecutor executor;
    private final Findings findings;
    private final long periodNanos;
    private final List<Future<?>> futures = new ArrayList<>();

    /** Runs so far, and whether one is going on. Writers: runs. */
    private final AtomicLongArray runs;

    private final AtomicIntegerArray going;

    /** Before when the next run must not be. Writers: runs. */
    private final AtomicLongArray earliest;

    SeriesLedger(WheelScheduledExecutor executor, int size, long periodNanos, Findings findings) {
        this.executor = executor;
        this.periodNanos = periodNanos;
        this.findings = findings;
        this.runs = new AtomicLongArray(size);
        this.going = new AtomicIntegerArray(size);
        this.earliest = new AtomicLongArray(size);
    }

    void start() {
        for (int i = 0; i < runs.length(); i++) {
            long initialNanos = (i + 1) * periodNanos / runs.length();
            earliest.set(i, executor.nanoTime() + initialNanos);
            futures.add(
                    isAtRate(i)
                            ? executor.scheduleAtFixedRate(new Run(i), initialNanos, periodNanos, NANOSECONDS)
                            : executor.scheduleWithFixedDelay(new Run(i), initialNanos, periodNanos, NANOSECONDS));
        }
    }

    /** Waits until each series has run once more, and returns how many have. */
    int countGoingOn(long limitNanos) {
        long[] before = new long[runs.length()];
        for (int i = 0; i < before.length; i++) {
            before[i] = runs.get(i);
        }
        boolean ignored = Nap.until(() -> countMoreThan(before) == before.length, limitNanos);
        for (int i = 0; i < before.length; i++) {
            if (runs.get(i) == before[i]) {
                findings.add("a series must go on", i, before[i] + 1, runs.get(i));
            }
        }
        return countMoreThan(before);
    }

    private int countMoreThan(long[] before) {
        int count = 0;
        for (int i = 0; i < before.length; i++) {
            count += runs.get(i) > before[i] ? 1 : 0;
        }
        return count;
    }

    /** Waits until those with a fixed rate have made up what they missed, as long as they get on. */
    void awaitCaughtUp(long patienceNanos) {
        AtomicInteger behind = new AtomicInteger();
        boolean caughtUp = false;
        boolean getsOn = true;
        while (!caughtUp && getsOn) {
            int series = behind.get();
            long before = runs.get(series);
            caughtUp = Nap.until(
                    () -> {
                        while (behind.get() < runs.length() && !isBehind(behind.get())) {
                            behind.incrementAndGet();
                        }
                        return behind.get() == runs.length();
                    },
                    patienceNanos);
            getsOn = behind.get() != series || runs.get(series) > before;
        }
        if (!caughtUp) {
            int series = behind.get();
            long missing = (executor.nanoTime() - earliest.get(series)) / periodNanos;
            findings.add("a fixed rate must make up all runs", series, runs.get(series) + missing, runs.get(series));
        }
    }

    private boolean isBehind(int series) {
        return isAtRate(series) && executor.nanoTime() - earliest.get(series) > 2 * periodNanos;
    }

    /** Cancels all. */
    void cancel() {
        for (int i = 0; i < futures.size(); i++) {
            if (!futures.get(i).cancel(false)) {
                findings.add("a series must not end by itself", i, 0, runs.get(i));
            }
        }
    }

    int size() {
        return runs.length();
    }

    /** Returns how many runs there were in all. */
    long ranCount() {
        long sum = 0;
        for (int i = 0; i < runs.length(); i++) {
            sum += runs.get(i);
        }
        return sum;
    }

    private static boolean isAtRate(int series) {
        return series % 2 == 0;
    }

    private void run(int series) {
        long nowNanos = executor.nanoTime();
        if (!going.compareAndSet(series, 0, 1)) {
            findings.add("a series must not overlap itself", series, 0, 1);
        }
        if (nowNanos - earliest.get(series) < 0) {
            findings.add("a series must not run early", series, earliest.get(series), nowNanos);
        }
        runs.incrementAndGet(series);
        earliest.set(series, isAtRate(series) ? earliest.get(series) + periodNanos : executor.nanoTime() + periodNanos);
        going.set(series, 0);
    }

    private final class Run implements Runnable {

        private final int series;

        Run(int series) {
            this.series = series;
        }

        @Override
        public void run() {
            SeriesLedger.this.run(series);
        }
    }
}
