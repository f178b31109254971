package io.github.wheelscheduler.benchmarks.jmh;

import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import io.github.wheelscheduler.internal.wheel.TimerNode;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** The wheel by itself, in a time of its own, with a number of timers pending. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WheelBenchmark {

    /** The executor's default. */
    private static final int TICK_SHIFT = 14;

    /** Deadlines in this range go to several levels, and cascade twice or so before they come. */
    private static final long FAR_NANOS = 60_000_000_000L;

    /** Deadlines in this range are within the lowest level. */
    private static final long NEAR_NANOS = 63L << TICK_SHIFT;

    private static final int BUDGET = 256;

    @Param({"1000", "100000", "1000000"})
    int pending;

    private final Xorshift random = new Xorshift(1);
    private TimingWheel wheel = new TimingWheel(TICK_SHIFT, 0);
    private TimingWheel nearWheel = new TimingWheel(TICK_SHIFT, 0);
    private Node[] nodes = {};
    private long nowNanos;
    private long expired;

    /** Fills the wheels. */
    @Setup
    public void fill() {
        nodes = new Node[pending];
        for (int i = 0; i < pending; i++) {
            nodes[i] = new Node(random.below(FAR_NANOS));
            wheel.add(nodes[i]);
            nearWheel.add(new Node(random.below(NEAR_NANOS)));
        }
    }

    /** Adds a timer and removes it, while it is in the cache. */
    @Benchmark
    public boolean addAndRemove() {
        Node node = new Node(nowNanos + random.below(FAR_NANOS));
        wheel.add(node);
        return wheel.remove(node);
    }

    /** Removes a random timer, which is in no cache if there are many, and adds another. */
    @Benchmark
    public boolean replaceRandom() {
        int victim = random.below(nodes.length);
        boolean removed = wheel.remove(nodes[victim]);
        nodes[victim] = new Node(nowNanos + random.below(FAR_NANOS));
        wheel.add(nodes[victim]);
        return removed;
    }

    /** Moves a random timer. */
    @Benchmark
    public long repositionRandom() {
        Node node = nodes[random.below(nodes.length)];
        node.deadlineNanos = nowNanos + random.below(FAR_NANOS);
        wheel.reposition(node);
        return wheel.size();
    }

    /** Lets the next timer expire out of the lowest level, and adds it anew. */
    @Benchmark
    public long expireNear() {
        return expireNext(nearWheel, NEAR_NANOS);
    }

    /** Lets the next timer expire after its cascades, and adds it anew. */
    @Benchmark
    public long expireAfterCascades() {
        return expireNext(wheel, FAR_NANOS);
    }

    private long expireNext(TimingWheel from, long rangeNanos) {
        long before = expired;
        while (expired == before) {
            int left = from.advance(nowNanos, 1, node -> addAnew(from, (Node) node, rangeNanos));
            if (left > 0) {
                nowNanos += from.nanosToNextExpiry(nowNanos);
            }
        }
        return nowNanos;
    }

    private void addAnew(TimingWheel to, Node node, long rangeNanos) {
        expired++;
        node.deadlineNanos = nowNanos + 1 + random.below(rangeNanos);
        to.add(node);
    }

    /** Asks when there is something to do, and does what there is after a random step of time. */
    @Benchmark
    public long pass() {
        nowNanos += Math.min(wheel.nanosToNextExpiry(nowNanos), NEAR_NANOS);
        return wheel.advance(nowNanos, BUDGET, node -> addAnew(wheel, (Node) node, FAR_NANOS));
    }

    private static final class Node extends TimerNode {

        private long deadlineNanos;

        Node(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        protected long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        protected boolean isOver() {
            return false;
        }
    }
}
