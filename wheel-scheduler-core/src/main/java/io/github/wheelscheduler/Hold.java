package io.github.wheelscheduler;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether timers that are due may leave the wheel: all of them, so many, or none. Those that are held stay where they are, which
 * costs nothing and leaves it open to cancel or move them. What has no time of its own, and is to run at once, goes on.
 */
final class Hold {

    private static final long ALL = Long.MAX_VALUE;

    /** How many may leave. Writers: any thread. Readers: the tick thread, once a pass; callers with something to run at once. */
    private final AtomicLong allowed = new AtomicLong(ALL);

    boolean isOpen() {
        return allowed.get() == ALL;
    }

    /** Whether none may leave. */
    boolean isClosed() {
        return allowed.get() == 0;
    }

    void close() {
        allowed.set(0);
    }

    void open() {
        allowed.set(ALL);
    }

    /** Lets one more leave, the one that is due first. Without effect while all may. */
    void allowOne() {
        allowed.updateAndGet(seen -> seen == ALL ? ALL : seen + 1);
    }

    /** One has left. Tick thread. */
    void left() {
        allowed.updateAndGet(seen -> seen == ALL || seen == 0 ? seen : seen - 1);
    }
}
