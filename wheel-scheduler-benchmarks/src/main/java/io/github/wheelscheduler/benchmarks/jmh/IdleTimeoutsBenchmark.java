package io.github.wheelscheduler.benchmarks.jmh;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** A touch beside what it cannot do without: a reading of the clock, a volatile write and a volatile read. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class IdleTimeoutsBenchmark {

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final IdleTimeouts<String> timeouts =
            IdleTimeouts.<String>builder(executor, key -> {}).build();
    private final IdleTimeout timeout = timeouts.register("key", Duration.ofMillis(100));

    @SuppressWarnings("UnusedVariable") // writing it is what is measured
    private volatile long touchedNanos;

    private volatile int state;

    /** Stops the threads. */
    @TearDown
    public void close() {
        List<Runnable> ignored = executor.shutdownNow();
    }

    /** Touches a timeout. */
    @Benchmark
    public boolean touch() {
        return timeout.touch();
    }

    /** Two threads touch the same one. */
    @Benchmark
    @Threads(2)
    public boolean touchOnTwoThreads() {
        return timeout.touch();
    }

    /** Reads the clock, writes what it says, and reads something else. */
    @Benchmark
    public boolean readClockAndWriteAndRead() {
        touchedNanos = executor.nanoTime();
        return state == 0;
    }

    /** Two threads do that, to the same fields. */
    @Benchmark
    @Threads(2)
    public boolean readClockAndWriteAndReadOnTwoThreads() {
        touchedNanos = executor.nanoTime();
        return state == 0;
    }
}
