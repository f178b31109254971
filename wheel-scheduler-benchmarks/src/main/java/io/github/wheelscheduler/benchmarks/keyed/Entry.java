package io.github.wheelscheduler.benchmarks.keyed;

import java.util.concurrent.atomic.AtomicInteger;

/** A key that was set once, and what became of it. It counts how often it has expired. */
@SuppressWarnings("serial")
public final class Entry extends AtomicInteger {

    private final Integer key;

    /** Writer: the thread that sets and moves it, before it can be due. Reader: the thread that handles its expiry. */
    private volatile long deadlineNanos;

    /** Used only by the thread that sets and moves it. */
    private long delayNanos;

    /** Makes one that is due at that time. */
    public Entry(Integer key, long deadlineNanos) {
        this.key = key;
        this.deadlineNanos = deadlineNanos;
    }

    public Integer key() {
        return key;
    }

    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Is called once it has been moved there in time. */
    public void setDeadlineNanos(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    long delayNanos() {
        return delayNanos;
    }

    void setDelayNanos(long delayNanos) {
        this.delayNanos = delayNanos;
    }
}
