package io.github.wheelscheduler;

import io.github.wheelscheduler.wheel.TimingWheel;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the timers that name an instant true to the wall clock, which may be set, slewed, or go on while the machine is
 * suspended and the monotonic clock is not.
 *
 * <p>While such timers are in the wheel, it compares the two clocks once a second and, when they have moved against each
 * other, computes all deadlines anew. Before such a timer is routed, it is asked whether its instant has really come. Tick
 * thread only.
 */
final class WallClockWatch {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    static final long CHECK_INTERVAL_NANOS = 1_000_000_000;

    /** Clocks that drift apart by less are left alone: the check before routing covers it. */
    private static final long TOLERANCE_NANOS = 1_000_000;

    /** From here on it is worth a line in the log. */
    private static final long JUMP_NANOS = 1_000_000_000;

    private static final long FAR_NANOS = Long.MAX_VALUE / 2;

    private final InstantSource wallClock;
    private final TimingWheel wheel;
    private final List<InstantTimer> watched = new ArrayList<>();
    private final LongAdder jumps = new LongAdder();

    private @Nullable Instant referenceWall;
    private long referenceNanos;
    private long nextCheckNanos;

    WallClockWatch(InstantSource wallClock, TimingWheel wheel) {
        this.wallClock = wallClock;
        this.wheel = wheel;
    }

    /** Watches a timer that is about to enter the wheel, and gives it a fresh deadline. */
    void add(InstantTimer timer, long nowNanos) {
        Instant wall = readWallClock();
        if (watched.isEmpty()) {
            referenceWall = wall;
            referenceNanos = nowNanos;
            nextCheckNanos = nowNanos + CHECK_INTERVAL_NANOS;
        }
        if (timer.watchIndex < 0) {
            timer.watchIndex = watched.size();
            watched.add(timer);
        }
        if (wall != null) {
            boolean ignored = timer.moveDeadline(nowNanos + nanosUntil(timer, wall));
        }
    }

    void remove(InstantTimer timer) {
        int index = timer.watchIndex;
        if (index >= 0) {
            InstantTimer last = watched.remove(watched.size() - 1);
            if (last != timer) {
                watched.set(index, last);
                last.watchIndex = index;
            }
            timer.watchIndex = -1;
        }
    }

    /** Whether the timer's instant is still to come; it has a new deadline then. */
    boolean isEarly(InstantTimer timer, long nowNanos) {
        Instant wall = readWallClock();
        if (wall == null || !wall.isBefore(timer.instant())) {
            return false;
        }
        return timer.moveDeadline(nowNanos + nanosUntil(timer, wall));
    }

    /** Compares the clocks if it is time to, and moves the timers if they have moved. */
    void check(long nowNanos) {
        if (watched.isEmpty() || nextCheckNanos - nowNanos > 0) {
            return;
        }
        nextCheckNanos = nowNanos + CHECK_INTERVAL_NANOS;
        Instant wall = readWallClock();
        if (wall == null) {
            return;
        }
        long moved = referenceWall == null
                ? FAR_NANOS
                : saturatedNanos(Duration.between(referenceWall.plusNanos(nowNanos - referenceNanos), wall));
        if (Math.abs(moved) < TOLERANCE_NANOS) {
            return;
        }
        if (Math.abs(moved) >= JUMP_NANOS && referenceWall != null) {
            jumps.increment();
            LOGGER.log(
                    Level.WARNING,
                    "The wall clock has moved by {0} against the monotonic clock; {1} calendar timers follow it",
                    Duration.ofNanos(moved),
                    watched.size());
        }
        referenceWall = wall;
        referenceNanos = nowNanos;
        for (InstantTimer timer : watched) {
            if (timer.isLinked() && timer.moveDeadline(nowNanos + nanosUntil(timer, wall))) {
                wheel.reposition(timer);
            }
        }
    }

    /** Returns how long the tick thread may sleep as far as this watch goes. */
    long nanosToNextCheck(long nowNanos) {
        return watched.isEmpty() ? Long.MAX_VALUE : Math.max(0, nextCheckNanos - nowNanos);
    }

    /** Returns how often the wall clock was seen to have moved by a second or more. Any thread. */
    long jumps() {
        return jumps.sum();
    }

    private @Nullable Instant readWallClock() {
        try {
            return wallClock.instant();
        } catch (Throwable ex) {
            LOGGER.log(Level.WARNING, "The clock failed; calendar timers keep the deadlines that they have", ex);
            return null;
        }
    }

    private static long nanosUntil(InstantTimer timer, Instant wall) {
        return Math.max(0, saturatedNanos(Duration.between(wall, timer.instant())));
    }

    /** Returns the duration in nanoseconds, cut to what can be added to any reading of the monotonic clock. */
    static long saturatedNanos(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds >= FAR_NANOS / 1_000_000_000) {
            return FAR_NANOS;
        }
        if (seconds <= -FAR_NANOS / 1_000_000_000) {
            return -FAR_NANOS;
        }
        return duration.toNanos();
    }
}
