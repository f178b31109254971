package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A wheel beside a sorted reference, which is asked before anything is believed. Times are nanoseconds since the start.
 *
 * <p>The reference orders timers by due tick, then by when they were added, where a reposition is a removal and an
 * addition. Two kinds of timer may stand elsewhere:
 *
 * <ul>
 *   <li>A timer that is added when its tick has come already expires not later than what was pending then and is due
 *       first; {@link Timer#limitTick} says so.
 *   <li>A timer that was moved to a later deadline without telling the wheel has no place among equals, because it is
 *       undefined when the wheel notices.
 * </ul>
 */
final class WheelModel {

    /** Puts timers without a place among equals behind the ones that have one. */
    private static final long BEHIND_ALL = Long.MAX_VALUE / 2;

    private static final Comparator<Timer> BY_LIMIT =
            Comparator.<Timer>comparingLong(timer -> timer.limitTick).thenComparingLong(timer -> timer.sequence);
    private static final Comparator<Timer> BY_TURN =
            Comparator.<Timer>comparingLong(timer -> timer.dueTick).thenComparingLong(timer -> timer.sequence);

    final TimingWheel wheel;
    private final int tickShift;
    private final long originNanos;

    private final TreeSet<Timer> byLimit = new TreeSet<>(BY_LIMIT);
    private final TreeSet<Timer> byTurn = new TreeSet<>(BY_TURN);

    /** All pending timers, for a random choice. */
    private final List<Timer> pending = new ArrayList<>();

    /** Timers that are over and that the wheel has not given up yet. */
    private final Set<Timer> over = new HashSet<>();

    private final List<Timer> expired = new ArrayList<>();
    private long now;
    private long sequence;
    private boolean interrupted;

    /** Everything up to this tick was done before the last interruption. */
    private long doneTick;

    private boolean changed;

    /**
     * Creates a model of an empty wheel.
     *
     * @param minPrepared how many timers make a bucket large
     */
    WheelModel(int tickShift, long originNanos, int minPrepared) {
        this.wheel = new TimingWheel(tickShift, originNanos, minPrepared, () -> {});
        this.tickShift = tickShift;
        this.originNanos = originNanos;
    }

    long now() {
        return now;
    }

    long nowNanos() {
        return originNanos + now;
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    boolean isWheelEmpty() {
        return wheel.size() == 0;
    }

    Timer any(SplittableRandom random) {
        return pending.get(random.nextInt(pending.size()));
    }

    /** Returns when the first timer is due, as far as the reference knows; now if there is none. */
    long earliestDueNanos() {
        return byTurn.isEmpty() ? now : byTurn.first().dueTick << tickShift;
    }

    long latestDueNanos() {
        long latest = byTurn.isEmpty() ? now : byTurn.last().dueTick << tickShift;
        for (Timer timer : over) {
            latest = Math.max(latest, timer.dueTick << tickShift);
        }
        return latest;
    }

    /** Ends a timer without telling the wheel. */
    void end(Timer timer) {
        changed = true;
        leave(timer);
        timer.end();
        over.add(timer);
        checkRest();
    }

    /** Goes on with a sweep, or starts one, looking at about so many timers. */
    void sweep(int budget) {
        changed = true;
        wheel.startSweep();
        int unused = wheel.sweep(budget, node -> checkGivenUp((Timer) node));
        assertThat(unused).as("unused budget").isBetween(0, budget);
        assertThat(unused > 0).as("is through").isEqualTo(!wheel.isSweeping());
        checkRest();
    }

    /** Sweeps without a pause; no timer that is over may be left then. */
    void sweepAll() {
        while (wheel.isSweeping()) {
            sweep(1_000);
        }
        sweep(Integer.MAX_VALUE);
        for (Timer timer : over) {
            check(false, "must be swept out", timer);
        }
    }

    private void checkGivenUp(Timer timer) {
        check(timer.isOver(), "must not be given up by a sweep", timer);
        check(!timer.isLinked(), "must have left the wheel", timer);
        check(over.remove(timer), "must be given up once", timer);
    }

    void add(long deadline) {
        addAgain(new Timer(originNanos + deadline), deadline);
    }

    void addAgain(Timer timer, long deadline) {
        timer.moveTo(originNanos + deadline);
        wheel.add(timer);
        enter(timer);
        assertThat(timer.isLinked()).isTrue();
        checkRest();
    }

    void remove(Timer timer) {
        changed = true;
        leave(timer);
        assertThat(wheel.remove(timer)).isTrue();
        checkRest();
    }

    /** Tries to remove a timer that is gone. */
    void removeExpired(SplittableRandom random) {
        if (!expired.isEmpty()) {
            Timer timer = expired.get(random.nextInt(expired.size()));
            assertThat(wheel.remove(timer)).isEqualTo(timer.index >= 0 || over.remove(timer));
            if (timer.index >= 0) {
                changed = true;
                leave(timer);
            }
            checkRest();
        }
    }

    void reposition(Timer timer, long deadline) {
        changed = true;
        leave(timer);
        timer.moveTo(originNanos + deadline);
        wheel.reposition(timer);
        enter(timer);
        checkRest();
    }

    void moveLater(Timer timer, long deadline) {
        changed = true;
        long limit = timer.limitTick;
        leave(timer);
        timer.moveTo(originNanos + deadline);
        enter(timer);
        leave(timer);
        timer.isMoved = true;
        timer.limitTick = Math.max(timer.limitTick, limit);
        timer.sequence += BEHIND_ALL;
        insert(timer);
        checkRest();
    }

    /** Advances the wheel and checks each timer that expires before it is passed on. */
    void advance(long to, int budget, Consumer<Timer> whileExpiring) {
        now = Math.max(now, to);
        int[] count = {0};
        int unused = wheel.advance(nowNanos(), budget, node -> {
            count[0]++;
            Timer timer = (Timer) node;
            if (timer.isOver()) {
                checkGivenUp(timer);
                return;
            }
            checkExpiry(timer);
            whileExpiring.accept(timer);
        });
        assertThat(unused).as("unused budget").isBetween(0, budget);
        assertThat(count[0]).as("expired timers").isLessThanOrEqualTo(budget - unused);
        interrupted = unused == 0;
        doneTick = interrupted ? doneTick : nowTick();
        if (!interrupted && !byTurn.isEmpty()) {
            assertThat(byTurn.first().dueTick).as("next due tick").isGreaterThan(nowTick());
            assertThat(wheel.nanosToNextExpiry(nowNanos()))
                    .as("a sleep after all is done")
                    .isPositive();
        }
        checkRest();
    }

    /** Prepares large buckets, which nobody may notice. */
    void prepare(int budget) {
        if (wheel.nanosToNextPreparation(nowNanos()) > 0 && !interrupted) {
            assertThat(wheel.prepare(nowNanos(), 1, node -> checkGivenUp((Timer) node)))
                    .as("before it is time, only buckets that are being prepared are worked on")
                    .isBetween(0, 1);
        }
        int unused = wheel.prepare(nowNanos(), budget, node -> checkGivenUp((Timer) node));
        assertThat(unused).as("unused budget").isBetween(0, budget);
        if (unused > 0 && !interrupted) {
            assertThat(wheel.nanosToNextPreparation(nowNanos()))
                    .as("nothing is left to prepare")
                    .isPositive();
        }
        checkRest();
    }

    private void checkExpiry(Timer timer) {
        check(timer.index >= 0, "must be pending", timer);
        check(!timer.isLinked(), "must have left the wheel", timer);
        check(timer.dueTick <= nowTick() && timer.sinceStart() <= now, "must not expire early", timer);
        leave(timer);
        if (!byLimit.isEmpty()) {
            check(byLimit.first().limitTick >= timer.dueTick, "must not expire before " + byLimit.first(), timer);
        }
        Timer first = byTurn.ceiling(new Timer(timer, Long.MIN_VALUE));
        boolean inTurn =
                first == null || timer.isMoved || first.dueTick != timer.dueTick || first.sequence > timer.sequence;
        check(inTurn, "must not overtake " + first, timer);
        if (expired.size() < 100) {
            expired.add(timer);
        }
    }

    private void checkRest() {
        int expected = pending.size() + over.size();
        check(wheel.size() == expected, "size must be " + expected + ", was " + wheel.size(), null);
        long nanos = wheel.nanosToNextExpiry(nowNanos());
        if (pending.isEmpty()) {
            check(
                    nanos == Long.MAX_VALUE || interrupted || changed,
                    "an empty wheel sleeps for ever, not " + nanos,
                    null);
        } else {
            long exact = Math.max(0, earliestDueNanos() - now);
            check(nanos >= 0 && nanos <= exact, "must not sleep " + nanos + " when due in " + exact, byTurn.first());
            check(changed || interrupted || nanos == exact, "must sleep " + exact + ", not " + nanos, byTurn.first());
        }
    }

    private long nowTick() {
        return Math.floorDiv(now, 1L << tickShift);
    }

    private void enter(Timer timer) {
        timer.dueTick = -Math.floorDiv(-timer.sinceStart(), 1L << tickShift);
        timer.limitTick = timer.dueTick;
        if (timer.dueTick <= nowTick()) {
            long firstOfOthers = byLimit.isEmpty() ? nowTick() : byLimit.first().limitTick;
            timer.limitTick = Math.max(timer.dueTick, Math.max(doneTick, firstOfOthers));
        }
        timer.sequence = sequence++;
        timer.isMoved = false;
        insert(timer);
    }

    private void insert(Timer timer) {
        timer.index = pending.size();
        pending.add(timer);
        byLimit.add(timer);
        byTurn.add(timer);
    }

    private void leave(Timer timer) {
        byLimit.remove(timer);
        byTurn.remove(timer);
        Timer last = pending.remove(pending.size() - 1);
        if (last != timer) {
            pending.set(timer.index, last);
            last.index = timer.index;
        }
        timer.index = -1;
    }

    private void check(boolean condition, String rule, Timer timer) {
        if (!condition) {
            throw new AssertionError(rule + ": " + timer + " at " + now + ", tick shift " + tickShift);
        }
    }

    /** A timer, and what the reference knows about it. */
    final class Timer extends TestNode {

        private long dueTick;

        /** No timer that is due after this tick may expire before this timer. */
        private long limitTick;

        private long sequence;
        private boolean isMoved;

        /** The place in the list of pending timers, or -1. */
        private int index = -1;

        Timer(long deadlineNanos) {
            super("timer", deadlineNanos);
        }

        /** A mark for looking up. */
        private Timer(Timer other, long sequence) {
            super("mark", other.deadlineNanos());
            this.dueTick = other.dueTick;
            this.sequence = sequence;
        }

        long sinceStart() {
            return deadlineNanos() - originNanos;
        }

        @Override
        public String toString() {
            return "timer " + sequence + " due at tick " + dueTick + (isMoved ? ", moved" : "");
        }
    }
}
