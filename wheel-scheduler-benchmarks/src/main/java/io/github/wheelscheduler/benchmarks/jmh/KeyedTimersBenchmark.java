package io.github.wheelscheduler.benchmarks.jmh;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import io.github.wheelscheduler.keyed.KeyedTimers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Timers by key, beside a map of timers that the caller keeps by hand, with a number of keys pending. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KeyedTimersBenchmark {

    private static final Duration DELAY = Duration.ofHours(1);
    private static final String VALUE = "value";

    /** So many keys come and go. */
    private static final int KEYS = 4_096;

    @Param({"1000", "1000000"})
    int pending;

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final KeyedTimers<Integer, String> timers =
            KeyedTimers.<Integer, String>builder(executor, (key, value) -> {}).build();
    private final ConcurrentHashMap<Integer, WheelTimer<?>> map = new ConcurrentHashMap<>();
    private final Xorshift random = new Xorshift(1);
    private final Integer[] keys = new Integer[KEYS];

    /** Fills both. */
    @Setup
    public void fill() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = -1 - i;
        }
        for (int i = 0; i < pending; i++) {
            String ignored = timers.set(i, VALUE, DELAY);
            WheelTimer<?> unused =
                    map.put(i, executor.schedule(BenchTask.NOTHING, DELAY.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    /** Stops the threads. */
    @TearDown
    public void close() {
        List<Runnable> ignored = executor.shutdownNow();
    }

    private Integer nextKey() {
        return keys[random.below(KEYS)];
    }

    /** Sets a key and removes it at once. */
    @Benchmark
    public @Nullable String setAndRemove() {
        Integer key = nextKey();
        String ignored = timers.set(key, VALUE, DELAY);
        return timers.remove(key);
    }

    /** The same by hand. */
    @Benchmark
    public boolean putAndScheduleAndRemoveAndCancel() {
        Integer key = nextKey();
        WheelTimer<?> ignored =
                map.put(key, executor.schedule(BenchTask.NOTHING, DELAY.toNanos(), TimeUnit.NANOSECONDS));
        WheelTimer<?> timer = map.remove(key);
        return timer != null && timer.cancel(false);
    }

    /** Pushes one of a few pending keys out. */
    @Benchmark
    public boolean move() {
        return timers.move(random.below(Math.min(pending, KEYS)), DELAY);
    }

    /** Sets one of a few pending keys to another value. */
    @Benchmark
    public @Nullable String replace() {
        return timers.set(random.below(Math.min(pending, KEYS)), VALUE, DELAY);
    }
}
