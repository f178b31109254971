package io.github.wheelscheduler.internal.wheel;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;

/** A wheel, a clock that starts with it, and a record of what has expired. Times are nanoseconds since the start. */
final class WheelFixture {

    final TimingWheel wheel;
    private final long originNanos;
    private long now;
    private final List<String> expired = new ArrayList<>();

    WheelFixture(int tickShift, long originNanos) {
        this.wheel = new TimingWheel(tickShift, originNanos);
        this.originNanos = originNanos;
    }

    WheelFixture(int tickShift) {
        this(tickShift, 0);
    }

    TestNode add(String name, long deadline) {
        TestNode node = new TestNode(name, originNanos + deadline);
        wheel.add(node);
        return node;
    }

    TestNode add(long deadline) {
        return add(String.valueOf(deadline), deadline);
    }

    /** Changes the deadline and leaves it to the wheel to notice. */
    void moveLazily(TestNode node, long deadline) {
        node.moveTo(originNanos + deadline);
    }

    void reposition(TestNode node, long deadline) {
        node.moveTo(originNanos + deadline);
        wheel.reposition(node);
    }

    /** Advances without limit, and returns the names of what expired. */
    List<String> advanceTo(long time) {
        int unused = advanceTo(time, Integer.MAX_VALUE);
        if (unused == 0) {
            throw new AssertionError("the budget must suffice");
        }
        return takeExpired();
    }

    /** Advances with a budget, and returns the unused part of it. */
    int advanceTo(long time, int budget) {
        return advanceTo(time, budget, node -> {});
    }

    /** Advances with a budget; what expires is recorded and then passed on. */
    int advanceTo(long time, int budget, Expiry expiry) {
        now = time;
        int unused = wheel.advance(originNanos + now, budget, node -> {
            if (originNanos + now - node.deadlineNanos() < 0) {
                throw new AssertionError("must not expire early: " + node);
            }
            expired.add(node.toString());
            expiry.expire(node);
        });
        WheelInvariants.check(wheel);
        return unused;
    }

    List<String> takeExpired() {
        List<String> taken = List.copyOf(expired);
        expired.clear();
        return taken;
    }

    long nanosToNextExpiry() {
        return wheel.nanosToNextExpiry(originNanos + now);
    }
}
