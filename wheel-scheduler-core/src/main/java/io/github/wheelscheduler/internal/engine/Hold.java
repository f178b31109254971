package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Whether timers that are due may leave the wheel: all of them, a number of them, or none. Held timers stay where they
 * are, which costs nothing and leaves it open to cancel or move them. Timers that
 * {@linkplain ScheduledTimer#runsAtOnce run at once} are not held.
 *
 * <p>There are two reasons to hold, and both have to end: the executor has been halted, and the thread that moves a
 * virtual time lets one timer go after the other. Writers: any thread. Readers: the tick thread, once a pass; threads
 * that arm due timers.
 */
public final class Hold {

    /** All timers may leave; fewer only in virtual time, one after the other. */
    static final long ALL = Long.MAX_VALUE;

    private volatile boolean halted;

    /** That of the executor, for one of its groups that is halted with it. */
    private final @Nullable Hold haltedWith;

    /** The number of timers that may leave while it is not halted; shared by an executor and its groups. */
    private final AtomicLong allowed;

    /** Chooses which of a number of due timers leaves next; null for the first one. */
    final AtomicReference<@Nullable IntUnaryOperator> choice;

    /** That of an executor; open. */
    Hold() {
        this.haltedWith = null;
        this.allowed = new AtomicLong(ALL);
        this.choice = new AtomicReference<>();
    }

    /** That of a group. */
    Hold(Hold executors, boolean isHaltedWith) {
        this.haltedWith = isHaltedWith ? executors : null;
        this.allowed = executors.allowed;
        this.choice = executors.choice;
    }

    public void setChoice(@Nullable IntUnaryOperator choice) {
        this.choice.set(choice);
    }

    /**
     * Returns how many timers may leave now, {@link #ALL} if there is no limit; by one reading: a halt that comes or
     * ends meanwhile makes no step of it. Any thread.
     */
    long mayLeave() {
        long seen = allowed.get();
        return isHalted() ? 0 : seen;
    }

    boolean isOpen() {
        return mayLeave() == ALL;
    }

    /** Whether none may leave. */
    boolean isClosed() {
        return mayLeave() == 0;
    }

    public boolean isHalted() {
        return halted || (haltedWith != null && haltedWith.halted);
    }

    void setHalted(boolean value) {
        halted = value;
    }

    /** Limits the number of timers that may leave from now on, in the order of their deadlines; never all again. */
    void allow(int timers) {
        allowed.set(timers);
    }

    /** Returns how many {@linkplain #allow allowed} timers have not left yet. */
    public long allowed() {
        return allowed.get();
    }

    /** One has left. Tick thread. */
    void left() {
        allowed.updateAndGet(seen -> seen == ALL || seen == 0 ? seen : seen - 1);
    }
}
