package io.github.wheelscheduler.benchmarks.jmh;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import java.util.List;
import java.util.concurrent.ExecutionException;
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
import org.openjdk.jmh.annotations.Warmup;

/** The moves of a timer, through the executor. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TimerBenchmark {

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final WheelTimer<?> lease = executor.schedule(BenchTask.NOTHING, 1, TimeUnit.HOURS);

    /** Stops the threads. */
    @TearDown
    public void close() {
        List<Runnable> ignored = executor.shutdownNow();
    }

    /** Schedules a timer and cancels it at once. */
    @Benchmark
    public boolean scheduleAndCancel() {
        return executor.schedule(BenchTask.NOTHING, 1, TimeUnit.HOURS).cancel(false);
    }

    /** Schedules a timer without delay and waits for its run. */
    @Benchmark
    public Object scheduleAndRun() throws ExecutionException, InterruptedException {
        return executor.schedule(() -> this, 0, TimeUnit.NANOSECONDS).get();
    }

    /** Postpones the same deadline repeatedly. */
    @Benchmark
    public boolean reschedule() {
        return lease.reschedule(1, TimeUnit.HOURS);
    }
}
