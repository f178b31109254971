package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the timers that name an instant true to the wall clock, which may be set, slewed, or continue while the machine
 * is suspended and the monotonic clock is not.
 *
 * <p>While such timers are in the wheel, it compares the two clocks once a second and, when they have moved against
 * each other, computes all deadlines anew, a part in each pass. Before such a timer is routed, it is asked whether its
 * instant has really come. Tick thread only.
 */
public final class WallClockWatch {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    static final long CHECK_INTERVAL_NANOS = 1_000_000_000;

    /** The maximum number of timers that are adjusted to the wall clock in a pass. */
    static final int FOLLOW_LIMIT = 1024;

    /** Clocks that drift apart by less are left alone: the check before routing covers it. */
    private static final long TOLERANCE_NANOS = 1_000_000;

    /** From here on it is worth a line in the log. */
    private static final long JUMP_NANOS = 1_000_000_000;

    static final long FAR_NANOS = Long.MAX_VALUE / 2;

    /** A reading of both clocks that takes longer, as the thread was stopped meanwhile, is retried if possible. */
    private static final long QUICK_READING_NANOS = 100_000;

    private static final int MAX_READINGS = 4;

    private static final long PAUSE_WITHOUT_MEMORY_NANOS = 1_000_000;

    private final TimeSource clock;
    private final InstantSource wallClock;
    private final TimingWheel wheel;
    private final long checkIntervalNanos;
    private final List<InstantTimer> watched = new ArrayList<>();

    /** The number of wall clock jumps of a second or more that were detected. Readers: any thread. */
    final LongAdder jumps = new LongAdder();

    /** Limits how often a failing clock is logged. */
    private final LogLimit failures;

    /** The clocks are to be compared at once. Writers: any thread, and the tick thread. Reader: the tick thread. */
    volatile boolean asked;

    /** The deadlines of the timers are computed from it. */
    private @Nullable Reading reference;

    private long nextCheckNanos;

    /**
     * The number of watched timers, from the start of the list, that are still to be adjusted to {@link #reference}.
     */
    private int toFollow;

    /** The clocks have moved again since the first of the timers has followed. */
    private boolean followsAgain;

    private long followAtNanos;

    /** The wall clock has failed, and is not asked again before the next comparison, or that time. */
    private boolean isFailing;

    private long askAgainNanos;

    WallClockWatch(TimeSource clock, InstantSource wallClock, long checkIntervalNanos, TimingWheel wheel) {
        this.clock = clock;
        this.wallClock = wallClock;
        this.checkIntervalNanos = checkIntervalNanos;
        this.wheel = wheel;
        this.failures = new LogLimit(clock::nanoTime);
    }

    /** Asks for the clocks to be compared at once; then the tick thread is to be woken. Any thread. */
    void ask() {
        asked = true;
    }

    /**
     * Watches a timer that is about to enter the wheel, and gives it a fresh deadline.
     *
     * @throws OutOfMemoryError if there is no memory for that; the timer is not watched then, unless it was before
     */
    void add(InstantTimer timer, long nowNanos) {
        long nanos = clock.nanoTime();
        Instant wall = readWallClock();
        long deadlineNanos = wall == null ? 0 : nanos + nanosUntil(timer, wall);
        if (watched.isEmpty()) {
            Reading reading = wall == null ? null : new Reading(wall, nanos, clock.nanoTime() - nanos);
            reference = reading != null && reading.isQuick() ? reading : null;
            nextCheckNanos = nowNanos + checkIntervalNanos;
            followAtNanos = nowNanos;
            toFollow = 0;
            followsAgain = false;
        }
        if (timer.watchIndex < 0) {
            watched.add(timer);
            timer.watchIndex = watched.size() - 1;
        }
        if (wall != null) {
            boolean ignored = timer.moveDeadline(deadlineNanos);
            timer.hasGuessedDeadline = false;
        }
    }

    /** Forgets a timer, if it is one that is watched. */
    void unwatch(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer instant && instant.watchIndex >= 0) {
            // The last one may have followed already and follow once more now; none is left out.
            InstantTimer last = watched.remove(watched.size() - 1);
            if (last != instant) {
                watched.set(instant.watchIndex, last);
                last.watchIndex = instant.watchIndex;
            }
            instant.watchIndex = -1;
        }
    }

    /**
     * Whether the timer's instant is still to come; it has a new deadline then. While the wall clock fails, a deadline
     * computed from it is kept, and any other is postponed.
     *
     * @throws OutOfMemoryError if that cannot be told for lack of memory; the timer is to be asked about again
     */
    boolean isEarly(InstantTimer timer, long nowNanos) {
        Instant wall = readWallClock();
        if (wall == null) {
            return timer.hasGuessedDeadline && timer.moveDeadline(nowNanos + CHECK_INTERVAL_NANOS);
        }
        if (!wall.isBefore(timer.instant)) {
            return false;
        }
        return timer.moveDeadline(nowNanos + nanosUntil(timer, wall));
    }

    /**
     * Compares the clocks if it is time to, and moves the timers, or a part of them, if the clocks have moved. Returns
     * whether it has moved any.
     */
    boolean check(long nowNanos) {
        if (asked) {
            asked = false;
            nextCheckNanos = nowNanos;
        }
        if (watched.isEmpty()) {
            return false;
        }
        try {
            if (nextCheckNanos - nowNanos <= 0) {
                nextCheckNanos = nowNanos + checkIntervalNanos;
                compare();
            }
            if (toFollow > 0 && followAtNanos - nowNanos <= 0) {
                followAtNanos = nowNanos;
                follow();
                return true;
            }
        } catch (OutOfMemoryError ex) {
            // It continues where it stopped. Due timers must not wait for that.
            followAtNanos = nowNanos + PAUSE_WITHOUT_MEMORY_NANOS;
        }
        return false;
    }

    private void compare() {
        Reading before = reference;
        isFailing = false;
        Reading reading = readQuickly();
        if (reading == null) {
            return;
        }
        long moved = before == null ? FAR_NANOS : reading.movedSince(before);
        if (Math.abs(moved) < TOLERANCE_NANOS) {
            return;
        }
        reference = reading;
        if (toFollow > 0) {
            // The timers that are left follow at once, then the others: so it ends, however often the clocks move.
            followsAgain = true;
        } else {
            toFollow = watched.size();
        }
        if (Math.abs(moved) >= JUMP_NANOS && before != null) {
            jumps.increment();
            warn(
                    "The wall clock has moved by {0} against the monotonic clock; {1} calendar timers follow it. Check "
                            + "time synchronization if this was not intended",
                    about(Duration.ofNanos(moved)), watched.size());
        }
    }

    /** Gives timers their new deadlines, from the end of the list down, where those are that others are moved from. */
    private void follow() {
        Reading reading = reference;
        toFollow = Math.min(toFollow, watched.size());
        for (int i = 0; reading != null && i < FOLLOW_LIMIT && toFollow > 0; i++) {
            InstantTimer timer = watched.get(toFollow - 1);
            if (timer.isLinked() && timer.moveDeadline(reading.deadlineOf(timer))) {
                wheel.reposition(timer);
            }
            toFollow--;
        }
        if (toFollow == 0 && followsAgain) {
            followsAgain = false;
            toFollow = watched.size();
        }
    }

    /** Returns how long the tick thread may sleep as far as this watch goes. */
    long nanosToNextCheck(long nowNanos) {
        if (watched.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long checkNanos = Math.max(0, nextCheckNanos - nowNanos);
        return toFollow == 0 ? checkNanos : Math.min(checkNanos, Math.max(0, followAtNanos - nowNanos));
    }

    /** Returns the quickest of a few readings; null if the wall clock fails. */
    private @Nullable Reading readQuickly() {
        Reading quickest = read();
        for (int i = 1; i < MAX_READINGS && quickest != null && !quickest.isQuick(); i++) {
            Reading next = read();
            if (next == null || next.tookNanos() < quickest.tookNanos()) {
                quickest = next;
            }
        }
        return quickest;
    }

    private @Nullable Reading read() {
        long nanos = clock.nanoTime();
        Instant wall = readWallClock();
        return wall == null ? null : new Reading(wall, nanos, clock.nanoTime() - nanos);
    }

    /** Returns the time of the wall clock; null while it fails. */
    private @Nullable Instant readWallClock() {
        if (isFailing && askAgainNanos - clock.nanoTime() > 0) {
            return null;
        }
        try {
            Instant wall = Objects.requireNonNull(wallClock.instant(), "the clock must not return null");
            isFailing = false;
            return wall;
        } catch (OutOfMemoryError ex) {
            throw ex;
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    private void failed(Throwable failure) {
        isFailing = true;
        askAgainNanos = clock.nanoTime() + CHECK_INTERVAL_NANOS;
        long others = failures.tryPass();
        if (others == 0) {
            EngineLog.log(
                    Level.WARNING,
                    "Reading the wall clock failed; calendar timers keep their deadlines until it can be read again. "
                            + "Fix the Clock that threw",
                    null,
                    failure);
        } else if (others > 0) {
            warn(
                    "Reading the wall clock failed {0} times since the last warning; fix the Clock that threw: "
                            + "{1}",
                    others + 1, failure);
        }
    }

    private static void warn(String message, Object... arguments) {
        try {
            LOGGER.log(Level.WARNING, message, arguments);
        } catch (Throwable ex) {
            // The timers matter more.
        }
    }

    private static long nanosUntil(InstantTimer timer, Instant wall) {
        long nanos = saturatedNanos(Duration.between(wall, timer.instant));
        timer.notePassed(nanos <= 0);
        return Math.max(0, nanos);
    }

    /** Returns the duration in nanoseconds, limited so that it can be added to any reading of the monotonic clock. */
    public static long saturatedNanos(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds >= FAR_NANOS / 1_000_000_000) {
            return FAR_NANOS;
        }
        if (seconds <= -FAR_NANOS / 1_000_000_000) {
            return -FAR_NANOS;
        }
        return duration.toNanos();
    }

    /**
     * The time of the wall clock at some moment from {@code nanos} of the monotonic clock on, {@code tookNanos} later
     * at most.
     */
    private record Reading(Instant wall, long nanos, long tookNanos) {

        boolean isQuick() {
            return tookNanos <= QUICK_READING_NANOS;
        }

        /** Returns the deadline on the monotonic clock, not too late. */
        long deadlineOf(InstantTimer timer) {
            return nanos + nanosUntil(timer, wall);
        }

        /**
         * Returns by how much at least the wall clock has moved against the monotonic clock; 0 if it may not have
         * moved.
         */
        long movedSince(Reading before) {
            long moved = saturatedNanos(Duration.between(before.wall, wall)) - (nanos - before.nanos);
            long least = moved - tookNanos;
            return least > 0 ? least : Math.min(0, moved + before.tookNanos);
        }
    }
}
