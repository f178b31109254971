package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Puts the stages together, and answers what timers and workers ask and tell. */
final class Engine implements TimerOwner, Workers.Listener {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 2;

    private static final long DUE_ROUNDING_MASK = ~7L;

    /** One in 128 cancelled timers looks whether there are too many. */
    private static final int SAMPLE_SHIFT = Long.SIZE - 7;

    private final ExecutorSettings settings;
    private final boolean decorates;
    private final TimeSource clock;
    private final boolean isVirtual;
    private final PendingTimers pending;
    private final RunState runState = new RunState();
    private final Inbox<ScheduledTimer<?>> inbox = new Inbox<>();
    private final Detours detours = new Detours();
    private final Hold hold = new Hold();
    private final ShutdownPolicies policies = new ShutdownPolicies(runState, hold);
    private final Workers workers;
    private final WallClockWatch watch;
    private final TickLoop loop;
    private final Lifecycle lifecycle;
    private final Arming arming;
    private final RunObservation observation;

    Engine(ExecutorSettings settings) {
        this.settings = settings;
        this.decorates = settings.decorator() != null;
        this.clock = settings.clock();
        this.isVirtual = clock.isVirtual();
        this.observation = new RunObservation(clock);
        this.pending = new PendingTimers(inbox::posted, settings.maxPending());
        this.workers = settings.newWorkers(this);
        TimingWheel wheel = new TimingWheel(settings.tickShift(), clock.nanoTime());
        this.watch = new WallClockWatch(clock, settings.wallClock(), settings.checkIntervalNanos(), wheel);
        this.loop =
                new TickLoop(inbox, wheel, watch, workers, pending, detours, hold, clock, 1L << settings.tickShift());
        this.lifecycle = new Lifecycle(settings, runState, policies, pending, inbox, workers, loop);
        this.arming = new Arming(settings, runState, policies, pending, detours, hold, inbox, workers, loop, lifecycle);
        hold.setHalted(settings.halted());
        if (isVirtual) {
            hold.allow(0);
        }
    }

    // What timers ask and tell

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public long deadlineAfter(long delay, TimeUnit unit) {
        return deadlineAfter(clock.nanoTime(), delay, unit);
    }

    /** Returns the deadline that lies so far ahead of then, cut as above. */
    static long deadlineAfter(long nowNanos, long delay, TimeUnit unit) {
        return nowNanos + Math.min(Math.max(0, unit.toNanos(delay)), LONGEST_DELAY_NANOS);
    }

    /** Returns the deadline for a run that is due now: no later than that, although the state word rounds up. */
    long deadlineNow() {
        return clock.nanoTime() & DUE_ROUNDING_MASK;
    }

    @Override
    public boolean decorates() {
        return decorates;
    }

    @Override
    public boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        return policies.mayStart(timer, handedOver);
    }

    @Override
    public void started(ScheduledTimer<?> timer) {
        pending.started();
        if (!timer.isRepeating()) {
            pending.release();
        }
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
        pending.cancelled();
        pending.releasePermit(timer);
        // In the ready queue, which is short, it waits for a worker that drops it.
        if (stateBefore == TimerWord.ARMED) {
            cancelledInWheel(timer);
        }
        lifecycle.wakeIfItMayEnd();
    }

    private void cancelledInWheel(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer) {
            tellOfCancelled(timer);
        } else if (timer.isSample(SAMPLE_SHIFT) && loop.isLittered()) {
            inbox.wake();
        }
    }

    /** The tick thread looks at the clocks every second while it knows of such a timer. */
    private void tellOfCancelled(ScheduledTimer<?> timer) {
        try {
            inbox.postLazily(timer);
            pending.countOtherPost();
        } catch (OutOfMemoryError ex) {
            // It will come across the timer.
        }
    }

    @Override
    public void ending(ScheduledTimer<?> timer) {
        if (timer.isRepeating()) {
            pending.releasePermit(timer);
        }
    }

    @Override
    public void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos) {
        arming.movedEarlier(timer, deadlineNanos);
    }

    @Override
    public void repeat(PeriodicTimer timer) {
        arming.repeat(timer);
    }

    /** Takes a timer that is not due yet out of use, without cancelling it; false if it is due, or over. */
    boolean remove(ScheduledTimer<?> timer) {
        if (!timer.takeOut()) {
            return false;
        }
        pending.cancelled();
        pending.releasePermit(timer);
        cancelledInWheel(timer);
        lifecycle.wakeIfItMayEnd();
        return true;
    }

    // What workers ask and tell

    @Override
    public void wentIdle() {
        if (runState.isShutdown() || loop.isHeldUp()) {
            inbox.wake();
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
        return timerOf(run) instanceof ScheduledTimer<?> timer && timer.isDone();
    }

    @Override
    public long starting(Runnable run, long expiredNanos) {
        return observation.starting(timerOf(run), expiredNanos);
    }

    @Override
    public void abandoned(Runnable run) {
        if (timerOf(run) instanceof ScheduledTimer<?> timer) {
            boolean ignored = timer.withdraw();
        }
    }

    @Override
    public boolean isShutdown() {
        return runState.isShutdown();
    }

    /** Returns the timer behind what a worker runs. */
    static Object timerOf(Runnable run) {
        return run instanceof DecoratedTask decorated ? decorated.timer() : run;
    }

    // Holding

    Hold hold() {
        return hold;
    }

    /** Holds timers in the wheel when they are due, or lets all go that are held, before what is armed from now on. */
    void setHalted(boolean halted) {
        lifecycle.unlessShutdown(() -> {
            if (!halted && hold.isHalted() && !isVirtual) {
                detours.posted();
            }
            hold.setHalted(halted);
        });
        inbox.wake();
    }

    /** Lets so many timers leave the wheel, in virtual time only. */
    void allow(int timers) {
        if (isVirtual) {
            hold.allow(timers);
            inbox.wake();
        }
    }

    /** Lets a timer go that is due, though others are held. */
    void letPass(ScheduledTimer<?> timer) {
        if (!hold.isOpen()) {
            lifecycle.onTickThread(() -> loop.letPass(timer));
        }
    }

    /** Makes the tick thread compare the clocks. */
    void checkWallClock() {
        watch.ask();
        inbox.wake();
    }

    /** Whether nothing happens before time goes on or somebody calls. Exact while the tick thread sleeps. */
    boolean isQuiet() {
        boolean areWorkersQuiet = workers.isDrained() || (workers.isPaused() && workers.activeCount() == 0);
        if (!lifecycle.hasTickThread()) {
            return areWorkersQuiet;
        }
        return areWorkersQuiet && inbox.isSleepAnnounced() && !loop.isRoomForHeldUp() && !loop.isWanted();
    }

    // Looking

    Arming arming() {
        return arming;
    }

    Lifecycle lifecycle() {
        return lifecycle;
    }

    RunState runState() {
        return runState;
    }

    Workers workers() {
        return workers;
    }

    Inbox<ScheduledTimer<?>> inbox() {
        return inbox;
    }

    TickLoop loop() {
        return loop;
    }

    PendingTimers pending() {
        return pending;
    }

    Detours detours() {
        return detours;
    }

    RunObservation observation() {
        return observation;
    }

    ShutdownPolicies policies() {
        return policies;
    }

    /** Returns the runs that have been going on for at least so long, those that started while nobody observed not included. */
    List<RunningTask> runningFor(Duration atLeast) {
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

    WheelSnapshot snapshot() {
        long nowNanos = clock.nanoTime();
        return new WheelSnapshot(
                pending.count(),
                inbox.size(),
                workers.readyCount(),
                Duration.ofNanos(workers.oldestReadyNanos(nowNanos)),
                workers.activeCount(),
                workers.threadCount(),
                new WheelSnapshot.Totals(
                        pending.scheduledSoFar(),
                        pending.startedSoFar(),
                        pending.cancelledSoFar(),
                        arming.rejectedSoFar(),
                        arming.skippedSoFar(),
                        workers.refusedHandOvers()),
                lifecycle.lookAtTickThread(nowNanos, watch.jumps()));
    }

    /** Creates a timer for an instant on the wall clock, with a deadline as seen now. */
    InstantTimer newInstantTimer(Runnable task, Instant instant) {
        Duration ahead = Duration.between(settings.wallClock().instant(), instant);
        long aheadNanos = WallClockWatch.saturatedNanos(ahead);
        return aheadNanos <= 0
                ? new InstantTimer(this, task, instant, deadlineNow(), true)
                : new InstantTimer(this, task, instant, clock.nanoTime() + aheadNanos, false);
    }
}
