package io.github.wheelscheduler.testing;

import io.github.wheelscheduler.internal.wheel.TimerNode;

/** A timer that has a name and a deadline that a test can change. */
public class TestNode extends TimerNode {

    private final String name;
    private long deadlineNanos;
    private boolean over;

    public TestNode(String name, long deadlineNanos) {
        this.name = name;
        this.deadlineNanos = deadlineNanos;
    }

    public final void moveTo(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
    }

    @Override
    public final long deadlineNanos() {
        return deadlineNanos;
    }

    public final void end() {
        over = true;
    }

    @Override
    public final boolean isOver() {
        return over;
    }

    @Override
    public String toString() {
        return name;
    }
}
