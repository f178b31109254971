package io.github.wheelscheduler.benchmarks.contender;

import io.github.wheelscheduler.internal.wheel.TimerNode;
import io.github.wheelscheduler.internal.wheel.TimingWheel;

/** The wheel alone, on the caller's thread: what the data structure costs. Nothing ever runs. */
final class BareWheelContender implements Contender {

    /** The executor's default. */
    private static final int TICK_SHIFT = 14;

    private final TimingWheel wheel = new TimingWheel(TICK_SHIFT, System.nanoTime());

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        Node node = new Node(task, System.nanoTime() + delayNanos);
        wheel.add(node);
        return node;
    }

    @Override
    public void cancel(Object handle) {
        if (!wheel.remove((Node) handle)) {
            throw new IllegalStateException("a pending timer must be in the wheel");
        }
    }

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        throw new UnsupportedOperationException("the contender that measures a bare wheel has no repeating tasks");
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        throw new UnsupportedOperationException("the contender that measures a bare wheel has no repeating tasks");
    }

    @Override
    public long absorb() {
        return 0;
    }

    @Override
    public void close() {}

    private static final class Node extends TimerNode {

        private final BenchTask task;
        private final long deadlineNanos;

        Node(BenchTask task, long deadlineNanos) {
            this.task = task;
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

        @Override
        public String toString() {
            return "Node[" + task + "]";
        }
    }
}
