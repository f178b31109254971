package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Starter;
import java.util.Collection;
import java.util.Iterator;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;

/** A wheel and its tick thread, which an executor shares with its groups. Any thread. */
final class SharedWheel {

    private final TimeSource clock;
    private final ThreadFactory tickThreadFactory;
    private final RunState runState;
    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final Starter starter;
    private final TickLoop loop;
    private final TickThread tickThread;

    /** Starting and stopping; never taken by the tick thread, by schedule (after the first), cancel or reschedule. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Writers: the thread that adds one, under the lock, and the tick thread, which forgets ended ones. */
    private final Set<Engine> groups = ConcurrentHashMap.newKeySet();

    /** The groups that have been shut down, or are about to be. As above. */
    private final Queue<Engine> ending = new ConcurrentLinkedQueue<>();

    /**
     * Something has happened to one of those since they have been looked at: it may have nothing left. Writers: who has done it, afterwards;
     * the tick thread, which takes it back before it looks.
     */
    private volatile boolean mayGroupsEnd;

    private volatile boolean tickThreadStarted;

    /** Makes the wheel of an executor. */
    SharedWheel(
            ExecutorSettings settings,
            RunState runState,
            Inbox<ScheduledTimer<?>> inbox,
            TimingWheel wheel,
            Starter starter,
            Dispatcher root,
            PendingTimers pending,
            Runnable whenEnded) {
        this.clock = settings.clock();
        this.tickThreadFactory = settings.tickThreadFactory();
        this.runState = runState;
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = new WallClockWatch(clock, settings.wallClock(), settings.checkIntervalNanos(), wheel);
        this.starter = starter;
        this.loop = new TickLoop(inbox, wheel, watch, root, pending, clock, 1L << settings.tickShift());
        this.tickThread = new TickThread(
                clock,
                inbox,
                loop,
                root.workers(),
                runState,
                this::endGroupsThatMay,
                this::mayAnyGroupEnd,
                this::areWorkersDrained,
                whenEnded);
    }

    TimeSource clock() {
        return clock;
    }

    Inbox<ScheduledTimer<?>> inbox() {
        return inbox;
    }

    TimingWheel wheel() {
        return wheel;
    }

    WallClockWatch watch() {
        return watch;
    }

    Starter starter() {
        return starter;
    }

    TickLoop loop() {
        return loop;
    }

    ReentrantLock lock() {
        return lock;
    }

    /** Whether the executor itself has been shut down. */
    boolean isShutdown() {
        return runState.isShutdown();
    }

    // Groups

    /** Returns the groups, as they come and go. */
    Collection<Engine> groups() {
        return groups;
    }

    /** Adds a group, under the lock. */
    void add(Engine group) {
        boolean ignored = groups.add(group);
    }

    /** A group is about to be shut down. Under the lock. */
    void addEnding(Engine group) {
        boolean ignored = ending.add(group);
    }

    /** Something has happened to a group that is shut down, so that it may have nothing left. Any thread. */
    void noteThatAGroupMayEnd() {
        mayGroupsEnd = true;
    }

    /** Ends the groups that were shut down and have nothing left, and forgets those that have ended. Tick thread. */
    private void endGroupsThatMay() {
        if (!mayGroupsEnd) {
            return;
        }
        mayGroupsEnd = false;
        boolean isSettled = false;
        try {
            isSettled = endThoseThatMay();
        } finally {
            if (!isSettled) {
                mayGroupsEnd = true;
            }
        }
    }

    /** Does so, and says whether something has to happen to a group before it can end that has not. */
    private boolean endThoseThatMay() {
        boolean isSettled = true;
        for (Iterator<Engine> each = ending.iterator(); each.hasNext(); ) {
            Engine group = each.next();
            if (!group.runState().isShutdown()) {
                continue;
            }
            group.lifecycle().endIfDrained();
            if (group.runState().isTerminated()) {
                loop.giveUpWaitingOf(group.dispatcher());
                // What is posted just then is withdrawn by whoever has posted it, and may still come by here.
                if (!group.dispatcher().isAnyWaiting()) {
                    each.remove();
                    boolean ignored = groups.remove(group);
                } else {
                    isSettled = false;
                }
            } else {
                isSettled &= loop.isSettled(group.dispatcher(), group.pending());
            }
        }
        return isSettled;
    }

    private boolean mayAnyGroupEnd() {
        if (!mayGroupsEnd) {
            return false;
        }
        for (Engine group : ending) {
            if (group.lifecycle().mayEnd()) {
                return true;
            }
        }
        return false;
    }

    /** Forgets a group that has ended before there was a tick thread. Under the lock. */
    void forgetIfNoTickThread(Engine group) {
        if (!tickThreadStarted && group.runState().isTerminated()) {
            boolean ignored = ending.remove(group);
            ignored = groups.remove(group);
        }
    }

    /** Whether no run of any group is on its way or going on; exact once nobody hands over any more. */
    private boolean areWorkersDrained() {
        if (!loop.root().isDrained()) {
            return false;
        }
        for (Engine group : groups) {
            if (!group.dispatcher().isDrained()) {
                return false;
            }
        }
        return true;
    }

    // The tick thread

    /** Starts the tick thread unless it has been, under the lock. What fails is thrown. */
    void startTickThread() {
        if (!tickThreadStarted) {
            Thread thread = tickThreadFactory.newThread(tickThread);
            if (thread == null) {
                throw new RejectedExecutionException("The thread factory must return a thread, returned null");
            }
            tickThread.aboutToStart();
            thread.start();
            tickThreadStarted = true;
        }
    }

    boolean isTickThreadStarted() {
        return tickThreadStarted;
    }

    /** Does something on the tick thread, between two passes, and waits for that; nothing if there is none. Under the lock. */
    void onTickThread(Runnable action) {
        if (tickThreadStarted) {
            tickThread.runBetweenPasses(action);
        }
    }

    /** Waits until the tick thread has let go of the wheel. */
    void awaitGivenUp() {
        if (tickThreadStarted) {
            tickThread.awaitGivenUp();
        }
    }

    /** Whether there is no tick thread, or it has let go of the wheel. */
    boolean isTickThreadGone() {
        return !tickThreadStarted || tickThread.hasGivenUp();
    }

    /** Whether the tick thread looks at the inbox for the last time, or has done so. */
    boolean isLeaving() {
        return tickThread.isLeaving();
    }

    WheelSnapshot.Tick lookAtTickThread(long nowNanos) {
        return tickThread.look(nowNanos, watch.jumps());
    }
}
