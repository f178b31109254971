package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Starter;
import io.github.wheelscheduler.worker.Workers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

    private final CopyOnWriteArrayList<Engine> groups = new CopyOnWriteArrayList<>();

    private volatile boolean tickThreadStarted;

    SharedWheel(
            ExecutorSettings settings,
            RunState runState,
            Inbox<ScheduledTimer<?>> inbox,
            TimingWheel wheel,
            WallClockWatch watch,
            Starter starter,
            TickLoop loop,
            Workers workers,
            Runnable whenEnded) {
        this.clock = settings.clock();
        this.tickThreadFactory = settings.tickThreadFactory();
        this.runState = runState;
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.starter = starter;
        this.loop = loop;
        this.tickThread = new TickThread(
                clock, inbox, loop, workers, runState, this::endGroupsThatMay, this::mayAnyGroupEnd, whenEnded);
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

    /** Returns the groups, a snapshot. */
    List<Engine> groups() {
        return groups;
    }

    /** Adds a group, under the lock. */
    void add(Engine group) {
        // Counted first, and forgotten by the same who adds it if that fails.
        groups.add(group);
        boolean added = false;
        try {
            onTickThreadIfAny(() -> loop.add(group.dispatcher()));
            added = true;
        } finally {
            if (!added) {
                boolean ignored = groups.remove(group);
            }
        }
    }

    /** Ends the groups that were shut down and have nothing left, and forgets those that have ended. Tick thread. */
    private void endGroupsThatMay() {
        for (Engine group : groups) {
            if (!group.runState().isShutdown()) {
                continue;
            }
            group.lifecycle().endIfDrained();
            if (group.runState().terminated().getCount() == 0) {
                loop.giveUpWaitingOf(group.dispatcher());
                // What is posted just then is withdrawn by whoever has posted it, and may still come by here.
                if (!group.dispatcher().isAnyWaiting()) {
                    forget(group);
                }
            }
        }
    }

    private void forget(Engine group) {
        if (groups.remove(group)) {
            loop.remove(group.dispatcher());
            group.forget();
        }
    }

    private boolean mayAnyGroupEnd() {
        for (Engine group : groups) {
            if (group.lifecycle().mayEnd()) {
                return true;
            }
        }
        return false;
    }

    /** Forgets a group that has ended before there was a tick thread. Under the lock. */
    void forgetIfNoTickThread(Engine group) {
        if (!tickThreadStarted && group.runState().terminated().getCount() == 0) {
            forget(group);
        }
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

    /** The same, but on the calling thread if there is no tick thread yet. Under the lock. */
    private void onTickThreadIfAny(Runnable action) {
        if (tickThreadStarted) {
            tickThread.runBetweenPasses(action);
        } else {
            action.run();
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
