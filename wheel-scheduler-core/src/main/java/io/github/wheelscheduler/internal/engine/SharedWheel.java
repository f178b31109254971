package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.wheel.TimingWheel;
import io.github.wheelscheduler.internal.worker.Starter;
import java.util.Collection;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A wheel and its tick thread, which an executor shares with its groups, and those groups. Any thread. */
final class SharedWheel {

    private final Engine root;
    final TimingWheel wheel;
    final Starter starter;
    final WallClockWatch watch;
    final TickLoop loop;
    final TickThread tickThread;

    /**
     * Pausing and stopping; taken by the tick thread once, as it begins, and never by schedule, cancel or reschedule.
     * No code of the user's runs under it.
     */
    final ReentrantLock lock = new ReentrantLock();

    /**
     * By their names. Writers: the thread that adds one, under the lock, and the tick thread, which forgets ended ones.
     */
    private final ConcurrentNavigableMap<String, Engine> groupsByName = new ConcurrentSkipListMap<>();

    final Collection<Engine> groups = groupsByName.values();

    /** The groups that have been shut down, or are about to be. As above. */
    final Queue<Engine> ending = new ConcurrentLinkedQueue<>();

    /**
     * Something has happened to one of those since they have been looked at: it may have nothing left. Writers: who has
     * done it, afterwards; the tick thread, which takes it back before it looks.
     */
    volatile boolean mayGroupsEnd;

    /** Makes the rest of the wheel of an executor. */
    SharedWheel(Engine root, TimingWheel wheel, Starter starter) {
        this.root = root;
        this.wheel = wheel;
        this.starter = starter;
        ExecutorSettings settings = root.settings;
        this.watch = new WallClockWatch(settings.clock(), settings.wallClock(), settings.checkIntervalNanos(), wheel);
        this.loop = new TickLoop(root, wheel, watch);
        this.tickThread = new TickThread(root, this);
    }

    /** Does something that pauses or stops, one caller after the other. */
    void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does something on the tick thread, between two passes, and waits for that; in its place if it has not begun;
     * nothing once it is gone.
     */
    void onTickThread(Runnable action) {
        locked(() -> tickThread.runBetweenPasses(action));
    }

    // Groups

    /** Adds a group; one of that name has terminated. Under the lock. */
    void add(String name, Engine group) {
        Engine ignored = groupsByName.put(name, group);
    }

    /** Returns the group of that name unless it has terminated. */
    @Nullable
    Engine group(String name) {
        Engine group = groupsByName.get(name);
        return group == null || group.runState.isTerminated() ? null : group;
    }

    private void forget(Engine group) {
        boolean ignored = groupsByName.remove(String.valueOf(group.settings.groupName()), group);
    }

    /** Ends the groups that were shut down and have nothing left, and forgets ended ones. Tick thread. */
    void endGroupsThatMay() {
        if (!mayGroupsEnd) {
            return;
        }
        mayGroupsEnd = false;
        boolean isSettled = false;
        try {
            isSettled = endDrainedGroups();
        } finally {
            if (!isSettled) {
                mayGroupsEnd = true;
            }
        }
    }

    /** Ends them, and returns whether something has to happen to a group before it can end that has not. */
    private boolean endDrainedGroups() {
        boolean isSettled = true;
        for (Iterator<Engine> each = ending.iterator(); each.hasNext(); ) {
            Engine group = each.next();
            if (!group.runState.isShutdown()) {
                continue;
            }
            group.lifecycle.endIfDrained();
            if (group.runState.isTerminated()) {
                loop.giveUpWaitingOf(group.dispatcher);
                // A timer that is posted just then is withdrawn by its caller, and may still come by here.
                if (!group.dispatcher.isAnyWaiting()) {
                    each.remove();
                    forget(group);
                    loop.groupEnded();
                } else {
                    isSettled = false;
                }
            } else {
                isSettled &= loop.isSettled(group.dispatcher, group.pending);
            }
        }
        return isSettled;
    }

    boolean mayAnyGroupEnd() {
        if (!mayGroupsEnd) {
            return false;
        }
        for (Engine group : ending) {
            // Its last worker may have ended it just before the tick thread announced its sleep.
            boolean mayBeForgotten = group.runState.isTerminated() && !group.dispatcher.isAnyWaiting();
            if (mayBeForgotten || group.lifecycle.mayEnd()) {
                return true;
            }
        }
        return false;
    }

    /** Forgets a group that has ended before there was a tick thread. Under the lock. */
    void forgetIfNoTickThread(Engine group) {
        if (tickThread.isLacking() && group.runState.isTerminated()) {
            boolean ignored = ending.remove(group);
            forget(group);
        }
    }

    /** Whether no run of any group is on its way or active; exact once nothing is handed over any more. */
    boolean areWorkersDrained() {
        boolean areDrained = root.dispatcher.isDrained();
        for (Engine group : groups) {
            areDrained &= group.dispatcher.isDrained();
        }
        return areDrained;
    }
}
