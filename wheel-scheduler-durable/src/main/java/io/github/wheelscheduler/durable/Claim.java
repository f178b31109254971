package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.task.Execution;
import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.time.Instant;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A row that this node has claimed: it waits on the wheel until it is due, runs, and is told to the database. */
final class Claim implements Runnable, ManagedTask {

    /** WAITING becomes one of the others once; whoever makes the move does what follows. */
    enum State {
        WAITING,
        RUNNING,
        /** It is not this node's any more, or is about to be given back. */
        GONE
    }

    private final Claims owner;
    private final Execution row;
    private final RowKey key;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Written before it is due for the first time, or by its run. */
    private volatile @Nullable WheelTimer<?> timer;

    /** When the database was last told, or asked, for certain; taken before that. Writers: who claims, the heartbeat, the run. */
    private volatile Moment lastSeen;

    Claim(Claims owner, Execution row, Moment claimedAt) {
        this.owner = owner;
        this.row = row;
        this.key = new RowKey(row.getTaskName(), row.getId(), row.version);
        this.lastSeen = claimedAt;
    }

    Execution row() {
        return row;
    }

    RowKey key() {
        return key;
    }

    Instant dueAt() {
        return row.getExecutionTime();
    }

    Moment lastSeen() {
        return lastSeen;
    }

    void seen(Moment moment) {
        lastSeen = moment;
    }

    boolean isWaiting() {
        return state.get() == State.WAITING;
    }

    boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    /** Takes it for a run; true for one caller. */
    boolean start() {
        return state.compareAndSet(State.WAITING, State.RUNNING);
    }

    /** Takes it away before it has started; true for one caller. */
    boolean takeAway() {
        if (!state.compareAndSet(State.WAITING, State.GONE)) {
            return false;
        }
        WheelTimer<?> armed = timer;
        if (armed != null) {
            boolean ignored = armed.cancel(false);
        }
        return true;
    }

    /** The database has been told how its run has ended. */
    void forget() {
        owner.forget(this);
    }

    void armed(WheelTimer<?> newTimer) {
        timer = newTimer;
        if (!isWaiting()) {
            boolean ignored = newTimer.cancel(false);
        }
    }

    /** Its time has come. Worker of the durable group. */
    @Override
    public void run() {
        owner.due(this);
    }

    /** Whether its time has come and nothing is going to run it. */
    boolean isStranded(Instant now) {
        WheelTimer<?> armed = timer;
        return isWaiting() && !dueAt().isAfter(now) && (armed == null || armed.isDone());
    }

    /** The rejection handler has no say: a row is given back. */
    @Override
    public boolean isSteered() {
        return true;
    }

    /** A row is not lost because others fill the group. */
    @Override
    public boolean waitsWhenFull() {
        return true;
    }

    @Override
    public String taskName() {
        return key.handler();
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return key.handler() + " " + key.id();
    }

    /** A time on both clocks of this machine: the monotonic one stands still while some machines sleep, the other one is set. */
    record Moment(long nanos, long wallMillis) {

        private static final long MILLI = 1_000_000;

        static Moment now(WheelScheduledExecutor executor) {
            return new Moment(executor.nanoTime(), executor.wallClockInstant().toEpochMilli());
        }

        /** Returns how long it was before the other, by the clock by which it was longer. */
        long nanosUntil(Moment later) {
            return Math.max(later.nanos - nanos, (later.wallMillis - wallMillis) * MILLI);
        }
    }

    /** A row as a node has claimed it: when somebody else touches it, it gets another version. In the order in which several are locked. */
    record RowKey(String handler, String id, long version) implements Comparable<RowKey> {

        private static final Comparator<RowKey> ORDER =
                Comparator.comparing(RowKey::handler).thenComparing(RowKey::id).thenComparingLong(RowKey::version);

        @Override
        public int compareTo(RowKey other) {
            return ORDER.compare(this, other);
        }
    }
}
