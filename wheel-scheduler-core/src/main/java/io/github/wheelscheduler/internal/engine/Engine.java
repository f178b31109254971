package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.inbox.Inbox;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import io.github.wheelscheduler.internal.worker.Starter;
import io.github.wheelscheduler.internal.worker.Workers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects the stages, and handles the calls of timers and workers.
 *
 * <p>It wires the stages, for an executor and for a group, and is the only class that knows all of them. Each question
 * is answered by a method of a few lines, which looks at several stages and leaves the work to them.
 */
public final class Engine implements TimerOwner, Workers.Listener {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 2;

    private static final long DUE_ROUNDING_MASK = ~7L;

    /** One in 128 cancelled timers looks whether there are too many. */
    private static final int SAMPLE_SHIFT = Long.SIZE - 7;

    public final ExecutorSettings settings;

    /** The executor that this is a group of, or this. */
    final Engine root;

    private final boolean decorates;
    private final TimeSource clock;
    public final RunState runState;
    final SharedWheel shared;
    final Inbox<ScheduledTimer<?>> inbox;
    public final PendingTimers pending;
    public final Hold hold;
    /** The tick thread writes into it all the time, so threads that run or arm timers do not look into it. */
    final Dispatcher dispatcher;

    /** Null where no run needs a slot. */
    private final @Nullable GroupSlots slots;

    public final Workers workers;
    public final Lifecycle lifecycle;
    public final Arming arming;
    public final RunObservation observation;

    /** The public object of this, if this is a group. Guarded by the lock of the register of groups. */
    @Nullable
    ExecutorService face;

    /**
     * Creates an executor, or a group of one.
     *
     * @param parent the executor that this is to be a group of, on the same wheel, with workers of its own; null for an
     *     executor
     */
    public Engine(ExecutorSettings settings, @Nullable Engine parent) {
        this.settings = settings;
        this.root = parent == null ? this : parent;
        this.decorates = settings.decorator() != null;
        this.clock = settings.clock();
        this.observation = new RunObservation(clock);
        if (parent == null) {
            this.inbox = new Inbox<>();
            this.pending = new PendingTimers(inbox::posted, settings.maxPending());
            this.hold = new Hold();
            this.runState = new RunState(hold);
            Starter starter = new Starter(inbox::wake, this::ended);
            this.workers = settings.newWorkers(starter, this);
            TimingWheel wheel = new TimingWheel(settings.tickShift(), clock.nanoTime());
            this.slots = null;
            this.dispatcher = new Dispatcher(wheel, workers, hold, new Shortcut(), null, null);
            this.shared = new SharedWheel(this, wheel, starter);
        } else {
            this.inbox = parent.inbox;
            this.pending = new PendingTimers(parent.pending);
            this.hold = new Hold(parent.hold, !settings.standsApart());
            this.runState = new RunState(hold);
            this.workers = settings.newWorkers(parent.shared.starter, this);
            this.shared = parent.shared;
            Shortcut shortcut = new Shortcut();
            GroupSlots ofGroup = new GroupSlots(workers, settings, inbox, shortcut);
            this.slots = ofGroup;
            GroupRefusals refusals = settings.onFull() == OnFull.WAIT
                    ? null
                    : new GroupRefusals(settings, shared.starter, ofGroup, this);
            this.dispatcher = new Dispatcher(shared.wheel, workers, hold, shortcut, ofGroup, refusals);
        }
        this.lifecycle = new Lifecycle(this, shared);
        this.arming = new Arming(this);
        if (parent != null) {
            runState.executesDelayed = parent.runState.executesDelayed;
            runState.continuesPeriodic = parent.runState.continuesPeriodic;
        } else if (clock.isVirtual()) {
            hold.allow(0);
        }
        hold.setHalted(settings.halted());
        noteHold(false);
    }

    // Groups

    /**
     * Creates a group of this executor.
     *
     * @throws RejectedExecutionException after shutdown
     */
    Engine newGroup(ExecutorSettings settingsOfGroup) {
        shared.lock.lock();
        try {
            if (runState.isShutdown()) {
                throw new RejectedExecutionException("Group " + settingsOfGroup.groupName()
                        + " is not created, because the executor has been shut down");
            }
            Engine created = new Engine(settingsOfGroup, this);
            created.lifecycle.applyPause();
            shared.add(String.valueOf(settingsOfGroup.groupName()), created);
            return created;
        } finally {
            shared.lock.unlock();
        }
    }

    @Override
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    /** Says whether delayed timers run after a shutdown, those of groups that it concerns included. */
    public void setExecutesDelayed(boolean value) {
        shared.lock.lock();
        try {
            runState.executesDelayed = value;
            for (Engine each : groups()) {
                if (!each.settings.standsApart()) {
                    each.runState.executesDelayed = value;
                }
            }
        } finally {
            shared.lock.unlock();
        }
    }

    /** The same for repeating ones. */
    public void setContinuesPeriodic(boolean value) {
        shared.lock.lock();
        try {
            runState.continuesPeriodic = value;
            for (Engine each : groups()) {
                if (!each.settings.standsApart()) {
                    each.runState.continuesPeriodic = value;
                }
            }
        } finally {
            shared.lock.unlock();
        }
    }

    /** Returns the groups of this; none if this is a group itself. */
    private Collection<Engine> groups() {
        return root == this ? shared.groups : List.of();
    }

    /** Does something for each group of this, if this is no group itself. */
    void forEachGroup(Consumer<Engine> action) {
        Collection<Engine> groups = groups();
        if (!groups.isEmpty()) {
            groups.forEach(action);
        }
    }

    /** Does something for each group that pause, halt and shutdown of this concern. */
    void forEachGroupThatFollows(Consumer<Engine> action) {
        forEachGroup(each -> {
            if (!each.settings.standsApart()) {
                action.accept(each);
            }
        });
    }

    // Calls from timers

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    /** Returns when a timer of this or another engine is due, on the clock that tells {@link #nanoTime}. */
    public long deadlineOf(Delayed timer) {
        return timer instanceof ScheduledTimer<?> ours
                ? ours.dueNanos()
                : nanoTime() + timer.getDelay(TimeUnit.NANOSECONDS);
    }

    /** Returns from when on a start of a timer is late. */
    public long lateFromNanos(ScheduledTimer<?> timer) {
        return timer.lateFromNanos();
    }

    @Override
    public long deadlineAfter(long delay, TimeUnit unit) {
        return delay <= 0 ? deadlineNow() : clock.nanoTime() + Math.min(unit.toNanos(delay), LONGEST_DELAY_NANOS);
    }

    /** Returns the deadline for a run that is due now: no later than that, although the state word rounds up. */
    public long deadlineNow() {
        return clock.nanoTime() & DUE_ROUNDING_MASK;
    }

    @Override
    public boolean decorates() {
        return decorates;
    }

    @Override
    public boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        return runState.mayStart(timer, handedOver);
    }

    @Override
    public void started(ScheduledTimer<?> timer, int stateBefore) {
        if (stateBefore == TimerWord.ARMED) {
            // No worker has it.
            releaseSlotOfCall(timer);
        }
        // A thread that sees that nothing is pending may take its permit: so the count comes last, here and below.
        if (!timer.isRepeating()) {
            pending.permits.giveBack();
        }
        pending.started();
        lifecycle.wakeIfItMayEnd();
    }

    @Override
    public void cancelled(ScheduledTimer<?> timer, int stateBefore) {
        if (stateBefore == TimerWord.RETURNED) {
            return;
        }
        if (stateBefore == TimerWord.RUNNING) {
            if (timer.isRepeating()) {
                pending.releasePermit(timer);
            }
            return;
        }
        boolean wasArmed = stateBefore == TimerWord.ARMED;
        pending.releasePermit(timer);
        if (wasArmed) {
            releaseSlotOfCall(timer);
        }
        pending.cancelled();
        // In the ready queue, which is short, it waits for a worker that drops it.
        if (wasArmed) {
            cancelledInWheel(timer);
        }
        lifecycle.wakeIfItMayEnd();
    }

    /** Frees the slot that the timer has had since it was submitted, if it has. */
    private void releaseSlotOfCall(ScheduledTimer<?> timer) {
        if (slots != null && slots.isTakenAtCall(timer)) {
            slots.release();
        }
    }

    private void cancelledInWheel(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer) {
            // The tick thread looks at the clocks every second while it knows of such a timer.
            try {
                arming.send(timer);
                pending.countOtherPost(1);
            } catch (OutOfMemoryError ex) {
                // It will come across the timer.
            }
        } else if (timer.isSample(SAMPLE_SHIFT) && shared.loop.isLittered()) {
            inbox.wake();
        }
    }

    @Override
    public void gaveBack(ScheduledTimer<?> timer) {
        pending.releasePermit(timer);
        pending.cancelled();
        lifecycle.noteThatItMayEnd();
    }

    @Override
    public void refused(ScheduledTimer<?> timer) {
        if (!timer.isRepeating()) {
            pending.permits.giveBack();
        }
        pending.cancelled();
        lifecycle.wakeIfItMayEnd();
    }

    @Override
    public void ending(ScheduledTimer<?> timer, boolean wasReady) {
        if (slots != null && wasReady) {
            slots.releaseEarly();
        }
        if (timer.isRepeating()) {
            pending.releasePermit(timer);
        }
    }

    @Override
    public void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos) {
        arming.movedEarlier(timer, deadlineNanos);
    }

    @Override
    public void repeat(PeriodicTimer timer, boolean wasReady) {
        if (slots != null && wasReady) {
            slots.releaseEarly();
        }
        arming.repeat(timer);
    }

    /** Takes a timer that is not due yet out of use, without cancelling it; false if it is due, or over. */
    public boolean remove(ScheduledTimer<?> timer) {
        StackReserve.ask();
        if (!timer.takeOut()) {
            return false;
        }
        cancelled(timer, TimerWord.ARMED);
        return true;
    }

    // Calls from workers

    @Override
    public void wentIdle() {
        lifecycle.wakeIfItMayEnd();
        lifecycle.wakeIfHeldUp();
    }

    @Override
    public void left() {
        if (slots != null) {
            slots.release();
        }
    }

    @Override
    public void ended() {
        lifecycle.terminateIfEnded();
    }

    @Override
    public boolean touch(Runnable run) {
        return run instanceof ScheduledTimer<?> timer && timer.task() == null;
    }

    @Override
    public boolean isOver(Runnable run) {
        return timerOf(run).isDone();
    }

    @Override
    public long starting(Runnable run, long expiredNanos) {
        return observation.starting(timerOf(run), expiredNanos);
    }

    @Override
    public void escaped(Runnable run, Throwable failure) {
        timerOf(run).endIfLeft(ScheduledTimer.Failure.of(failure));
    }

    @Override
    public void abandoned(Runnable run) {
        boolean ignored = timerOf(run).withdraw();
    }

    @Override
    public boolean isShutdown() {
        return runState.isShutdown();
    }

    /** Returns the timer behind the task of a worker. */
    static ScheduledTimer<?> timerOf(Runnable run) {
        if (run instanceof GroupRefusals.Refused refused) {
            return refused.timer;
        }
        return run instanceof DecoratedTask decorated ? decorated.timer : (ScheduledTimer<?>) run;
    }

    // Holding

    /** Holds timers in the wheel when they are due, or releases all held ones, ahead of timers that are armed later. */
    public void setHalted(boolean halted) {
        StackReserve.ask();
        shared.locked(() -> {
            if (!runState.isShutdown()) {
                boolean isOpened = !halted && hold.isHalted() && !clock.isVirtual();
                hold.setHalted(halted);
                noteHold(isOpened);
                forEachGroupThatFollows(each -> each.noteHold(isOpened));
            }
        });
        inbox.wake();
    }

    /**
     * Says whether callers may go past the tick thread: when a halt has ended, not before the timers that it has held.
     */
    private void noteHold(boolean isOpened) {
        Shortcut shortcut = dispatcher.shortcut;
        if (isOpened) {
            shortcut.countDetour();
        }
        shortcut.setHeld(!hold.isOpen());
    }

    /** Allows the given number of timers to leave the wheel; in virtual time only. */
    public void allow(int timers) {
        if (clock.isVirtual()) {
            hold.allow(timers);
            inbox.wake();
        }
    }

    /** Lets a timer go that is due, though others are held. */
    public void forceRun(ScheduledTimer<?> timer) {
        if (!hold.isOpen()) {
            shared.onTickThread(() -> shared.loop.forceRun(timer));
        }
    }

    /** Makes the tick thread compare the clocks. */
    public void checkWallClock() {
        shared.watch.ask();
        inbox.wake();
    }

    /** Whether nothing happens before time advances or a method is called. Exact while the tick thread sleeps. */
    public boolean isQuiet() {
        boolean areWorkersQuiet = areWorkersQuiet();
        if (root == this) {
            for (Engine each : shared.groups) {
                areWorkersQuiet &= each.areWorkersQuiet();
            }
        }
        TickLoop loop = shared.loop;
        return areWorkersQuiet
                && (!shared.tickThread.isThere()
                        || (inbox.isSleepAnnounced() && !loop.dispatchers.isRoomForHeldUp() && !loop.isWanted()));
    }

    private boolean areWorkersQuiet() {
        return dispatcher.isDrained() || (workers.isPaused() && workers.activeCount() == 0);
    }

    // Looking

    private long oldestReadyNanos(long nowNanos) {
        long waitingNanos = runState.isStopped() ? 0 : dispatcher.oldestWaitingNanos(nowNanos);
        return Math.max(workers.oldestReadyNanos(nowNanos), waitingNanos);
    }

    /** Returns about how many due timers wait for a worker. */
    public long readyCount() {
        // The tick thread, which counts them, has ended or is about to once this is stopped, and none waits then.
        return workers.readyCount() + (runState.isStopped() ? 0 : dispatcher.waitingCount);
    }

    /** Changes how many runs may be active at a time. */
    public void setMaxWorkers(int maxWorkers) {
        StackReserve.ask();
        workers.setMaxSize(maxWorkers);
        lifecycle.wakeIfHeldUp();
    }

    /**
     * Returns how far ahead the first deadline lies, also of groups; the longest time if nothing is pending. Looks at
     * all timers.
     */
    public long nanosToFirstDeadline() {
        long[] nanos = {Long.MAX_VALUE};
        shared.onTickThread(() -> shared.loop.forEachArmed(timer -> {
            if (root == this || timer.owner() == this) {
                nanos[0] = Math.min(nanos[0], Math.max(0, timer.deadlineNanos() - clock.nanoTime()));
            }
        }));
        return nanos[0];
    }

    /** Returns waiting timers, up to the given number. */
    public List<WheelTimer<?>> somePending(int most) {
        List<WheelTimer<?>> some = new ArrayList<>();
        workers.forEachReady(run -> addPending(timerOf(run), some, most));
        shared.onTickThread(() -> shared.loop.forEachArmed(timer -> {
            if (timer.owner() == this) {
                addPending(timer, some, most);
            }
        }));
        return some;
    }

    private static void addPending(ScheduledTimer<?> timer, List<WheelTimer<?>> some, int most) {
        if (some.size() < most && !timer.isDone()) {
            some.add(timer);
        }
    }

    /**
     * Returns when the timers were due that may go now in virtual time, including groups, in their order, up to the
     * given number.
     */
    public long[] dueNanos(int most) {
        long[][] due = {{}};
        shared.onTickThread(() -> due[0] = shared.loop.dueNanos(most));
        return due[0];
    }

    /**
     * Returns the runs that have been active for at least the given time, without runs that started while there was no
     * observer.
     */
    public List<RunningTask> runningFor(Duration atLeast) {
        long nowNanos = clock.nanoTime();
        List<RunningTask> running = new ArrayList<>();
        workers.forEachRunning((run, thread, startedNanos) -> {
            Duration runningFor = Duration.ofNanos(Math.max(0, nowNanos - startedNanos));
            if (runningFor.compareTo(atLeast) >= 0) {
                running.add(new RunningTask(RunObservation.taskOf(timerOf(run)), thread, startedNanos, runningFor));
            }
        });
        return running;
    }

    /** Returns how full the buckets of the wheel are, as the tick thread has last said, and asks it to say so again. */
    public WheelSnapshot.@Nullable Occupancy occupancy() {
        long nowNanos = clock.nanoTime();
        OccupancyBoard board = shared.loop.occupancy;
        if (board.ask(nowNanos)) {
            inbox.wake();
        }
        return board.look(nowNanos, Duration.ofNanos(1L << root.settings.tickShift()));
    }

    public WheelSnapshot snapshot() {
        long nowNanos = clock.nanoTime();
        GroupRefusals refusals = dispatcher.refusals;
        return new WheelSnapshot(
                pending.count(),
                inbox.size(),
                readyCount(),
                Duration.ofNanos(oldestReadyNanos(nowNanos)),
                workers.activeCount(),
                workers.threadCount(),
                new WheelSnapshot.Totals(
                        pending.scheduledSoFar(),
                        pending.started.sum(),
                        pending.cancelled.sum(),
                        arming.rejected.sum(),
                        arming.catchUp.skippedRuns.sum(),
                        workers.refusedHandOvers(),
                        refusals == null ? 0 : refusals.count.sum()),
                shared.tickThread.look(nowNanos));
    }

    /**
     * Creates a timer for runs that repeat.
     *
     * @param isDue whether the first run is for now
     */
    public PeriodicTimer newPeriodicTimer(Runnable task, long deadlineNanos, long periodNanos, boolean isDue) {
        Pacing pacing = ManagedTask.pacingOf(task);
        long usualNanos = settings.startToleranceNanos();
        long toleranceNanos = pacing == null && usualNanos == 0
                ? 0
                : StartTolerance.of(pacing, usualNanos, Math.abs(periodNanos) / 2);
        return toleranceNanos == 0
                ? new PeriodicTimer(this, task, deadlineNanos, periodNanos, pacing != null)
                : TolerantPeriodicTimer.of(
                        this, task, deadlineNanos, periodNanos, pacing != null, toleranceNanos, isDue);
    }

    /** Creates a timer for an instant on the wall clock, with a deadline as seen now. */
    public InstantTimer newInstantTimer(Runnable task, Instant instant, long toleranceNanos) {
        Duration ahead = Duration.between(settings.wallClock().instant(), instant);
        long aheadNanos = WallClockWatch.saturatedNanos(ahead);
        if (aheadNanos <= 0) {
            return new InstantTimer(this, task, instant, deadlineNow(), true);
        }
        long deadlineNanos = clock.nanoTime() + aheadNanos;
        long cutNanos = Pacing.cutTolerance(toleranceNanos, Long.MAX_VALUE);
        return cutNanos == 0
                ? new InstantTimer(this, task, instant, deadlineNanos, false)
                : TolerantInstantTimer.of(this, task, instant, deadlineNanos, cutNanos);
    }

    /**
     * Creates the same for the next run of a series: a wall clock that fails does not end it, and is asked again a
     * little later.
     */
    public InstantTimer nextInstantTimer(Runnable task, Instant instant, long toleranceNanos) {
        try {
            return newInstantTimer(task, instant, toleranceNanos);
        } catch (VirtualMachineError ex) {
            throw ex;
        } catch (Throwable ex) {
            long askAgainNanos = clock.nanoTime() + WallClockWatch.CHECK_INTERVAL_NANOS;
            InstantTimer timer = new InstantTimer(this, task, instant, askAgainNanos, false);
            timer.hasGuessedDeadline = true;
            return timer;
        }
    }
}
