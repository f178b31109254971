package io.github.wheelscheduler.benchmarks.contender;

import org.jspecify.annotations.Nullable;

/**
 * The least cost of a wheel of linked buckets, without threads, without cascades, without expiry: a node is linked into
 * the bucket of its deadline and unlinked again.
 */
final class BareLinkedContender implements Contender {

    private static final int BUCKETS = 512;

    /** Buckets of about one second: the deadlines of all figures fall into different ones. */
    private static final int SHIFT = 30;

    private final Node[] buckets = new Node[BUCKETS];

    BareLinkedContender() {
        for (int i = 0; i < BUCKETS; i++) {
            buckets[i] = new Node(BenchTask.NOTHING, 0);
        }
    }

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        Node node = new Node(task, System.nanoTime() + delayNanos);
        node.link(buckets[(int) (node.deadlineNanos >>> SHIFT) & (BUCKETS - 1)]);
        return node;
    }

    @Override
    public void cancel(Object handle) {
        ((Node) handle).unlink();
    }

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        throw new UnsupportedOperationException("the contender that measures bare buckets has no repeating tasks");
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        throw new UnsupportedOperationException("the contender that measures bare buckets has no repeating tasks");
    }

    @Override
    public long absorb() {
        return 0;
    }

    @Override
    public void close() {}

    private static final class Node {

        private final BenchTask task;
        private final long deadlineNanos;
        private @Nullable Node previous;
        private @Nullable Node next;

        Node(BenchTask task, long deadlineNanos) {
            this.task = task;
            this.deadlineNanos = deadlineNanos;
        }

        /** Links this node in front of the others, behind the bucket's own node. */
        void link(Node bucket) {
            Node first = bucket.next;
            previous = bucket;
            next = first;
            bucket.next = this;
            if (first != null) {
                first.previous = this;
            }
        }

        void unlink() {
            Node before = previous;
            Node after = next;
            if (before != null) {
                before.next = after;
            }
            if (after != null) {
                after.previous = before;
            }
            previous = null;
            next = null;
        }

        @Override
        public String toString() {
            return "Node[" + task + "]";
        }
    }
}
