package io.github.wheelscheduler.benchmarks.jmh;

import io.github.wheelscheduler.internal.inbox.Inbox;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.Control;

/** The way to the tick thread, while that is awake. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class InboxBenchmark {

    private static final Object MESSAGE = new Object();
    private static final int DRAINED_AT_ONCE = 256;
    private static final int LARGEST_BACKLOG = 8_192;

    /** An inbox for one thread. */
    @State(Scope.Thread)
    public static class Own {
        final Inbox<Object> inbox = new Inbox<>();
    }

    /** An inbox for several threads. */
    @State(Scope.Group)
    public static class Shared {
        final Inbox<Object> inbox = new Inbox<>();
    }

    /** Posts and drains one message on the same thread. */
    @Benchmark
    public int postAndDrain(Own own, Blackhole blackhole) {
        own.inbox.post(MESSAGE, 0);
        return own.inbox.drain(blackhole::consume, 1);
    }

    /** Posts while another thread posts, too; waits when the backlog is large. */
    @Benchmark
    @Group("twoProducers")
    @GroupThreads(2)
    public void post(Shared shared, Control control) {
        while (shared.inbox.size() > LARGEST_BACKLOG && !control.stopMeasurement) {
            Thread.onSpinWait();
        }
        shared.inbox.post(MESSAGE, 0);
    }

    /** Drains what two threads post. */
    @Benchmark
    @Group("twoProducers")
    @GroupThreads(1)
    public int drain(Shared shared, Blackhole blackhole) {
        return shared.inbox.drain(blackhole::consume, DRAINED_AT_ONCE);
    }
}
