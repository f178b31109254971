package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Whether timers that are due may leave the wheel: all of them, so many, or none. Held timers stay where they are, which
 * costs nothing and leaves it open to cancel or move them. What {@linkplain ScheduledTimer#runsAtOnce runs at once} goes on.
 *
 * <p>There are two reasons to hold, and both have to end: the executor has been halted, and the thread that moves a virtual time lets one
 * timer go after the other. Writers: any thread. Readers: the tick thread, once a pass; who arms what is due.
 */
public final class Hold {

    private static final long ALL = Long.MAX_VALUE;

    private volatile boolean halted;

    /** That of the executor, for one of its groups that is halted with it. */
    private final @Nullable Hold haltedWith;

    /** How many may leave while it is not halted; one number for an executor and its groups. */
    private final AtomicLong allowed;

    /** Says which of so many due timers leaves next; null for the first one. */
    private final AtomicReference<@Nullable IntUnaryOperator> choice;

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

    @Nullable
    IntUnaryOperator choice() {
        return choice.get();
    }

    public void setChoice(@Nullable IntUnaryOperator choice) {
        this.choice.set(choice);
    }

    /** How due timers may leave. */
    enum Passage {

        /** All of them may. */
        ALL,

        /** They leave one at a time, as many as are allowed; in virtual time only. */
        STEPPED,

        /** None may. */
        NONE
    }

    /** Returns how timers may leave, by one reading: a halt that comes or ends meanwhile makes no step of it. Any thread. */
    Passage passage() {
        long seen = allowed.get();
        if (isHalted() || seen == 0) {
            return Passage.NONE;
        }
        return seen == ALL ? Passage.ALL : Passage.STEPPED;
    }

    boolean isOpen() {
        return passage() == Passage.ALL;
    }

    /** Whether none may leave. */
    boolean isClosed() {
        return passage() == Passage.NONE;
    }

    public boolean isHalted() {
        return halted || (haltedWith != null && haltedWith.halted);
    }

    void setHalted(boolean value) {
        halted = value;
    }

    /** Lets no more than so many leave from now on, those first that are due first; never all again. */
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
