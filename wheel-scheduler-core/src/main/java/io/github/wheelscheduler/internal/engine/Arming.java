package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.StripedCount;
import io.github.wheelscheduler.internal.inbox.Inbox;
import io.github.wheelscheduler.internal.worker.Workers;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes timers pending: at once to the workers, or the long way through inbox and wheel. Any thread. */
public final class Arming {

    /**
     * Callers that schedule faster than the tick thread takes messages are delayed briefly once the backlog reaches a
     * limit. Those messages take it some ten milliseconds.
     */
    private static final long FLOOD = 1 << 17;

    private static final int FLOOD_WAITS = 50;
    private static final long FLOOD_WAIT_NANOS = 100_000;

    private final ExecutorSettings settings;
    private final TimeSource clock;
    private final RunState runState;
    private final PendingTimers pending;
    private final Shortcut shortcut;
    private final Inbox<ScheduledTimer<?>> inbox;

    /** Null where no run needs a slot. */
    private final @Nullable GroupSlots slots;

    private final @Nullable GroupRefusals refusals;
    private final Workers workers;
    private final Lifecycle lifecycle;
    final CatchUp catchUp;

    /** The number of timers that have not been accepted. */
    final StripedCount rejected = new StripedCount();

    Arming(Engine engine) {
        this.settings = engine.settings;
        this.clock = settings.clock();
        this.runState = engine.runState;
        this.pending = engine.pending;
        this.inbox = engine.inbox;
        this.shortcut = engine.dispatcher.shortcut;
        this.slots = engine.dispatcher.slots;
        this.refusals = engine.dispatcher.refusals;
        this.workers = engine.workers;
        this.lifecycle = engine.lifecycle;
        this.catchUp = new CatchUp(settings.maxCatchUp());
    }

    /**
     * Makes the new timer pending.
     *
     * @param isDue whether its deadline has come, so that it can go to the workers at once
     * @throws RejectedExecutionException if it is not accepted, unless the rejection handler decides otherwise
     */
    public <T extends ScheduledTimer<?>> T arm(T timer, boolean isDue) {
        StackReserve.ask();
        if (runState.isShutdown()) {
            reject(timer, lifecycle.whatHasEnded() + " has been shut down");
        } else if (!pending.permits.tryTake()) {
            reject(
                    timer,
                    "max-pending is " + pending.permits.max() + ", and " + pending.inUse()
                            + " timers are pending or repeating");
        } else if (slots != null && slots.isTakenAtCall(timer) && !slots.tryTake()) {
            pending.releasePermit(timer);
            reject(timer, refusals == null ? "its group has no free slot" : refusals.reason());
        } else if (!post(timer, isDue, true)) {
            reject(timer, lifecycle.whatHasEnded() + " has been shut down");
        }
        return timer;
    }

    /**
     * Makes the next timer of a series pending, with the permit of the running one; false after shutdown or cancel. If
     * that fails, as when memory is short, it can be retried.
     */
    public boolean armNext(InstantTimer running, InstantTimer timer) {
        StackReserve.ask();
        if (!runState.mayRepeat() || !running.takePermit()) {
            return false;
        }
        try {
            timer.setRefusedAt(running.refusedAt());
            return post(timer, timer.isDueAtOnce, false);
        } catch (Throwable ex) {
            pending.permits.takeAnyway();
            running.putPermitBack();
            if (running.isDone()) {
                // A thread that has cancelled it may have looked for the permit too early.
                pending.releasePermit(running);
            }
            throw ex;
        }
    }

    /**
     * Makes the timer pending; false if a shutdown came in between, and the timer has been cancelled before it ran.
     *
     * @param mayWait whether the caller may be delayed if the tick thread does not keep up
     */
    private boolean post(ScheduledTimer<?> timer, boolean isDue, boolean mayWait) {
        boolean posted = false;
        // A decorator may move it.
        long dueNanos = timer.deadlineNanos();
        long armedNanos;
        try {
            boolean isStarted = lifecycle.startIfNeeded();
            ManagedTask managed = settings.decorator() == null ? null : managed(timer, settings.decorator());
            armedNanos = timer.deadlineNanos();
            boolean mayStartThread = workers.mayStartThread(isDue);
            // The task is looked at only where that matters.
            boolean isSteered = managed != null ? managed.isSteered() : mayStartThread && isSteered(timer);
            // Steps that may fail come before the timer is posted: afterwards it has been accepted.
            if (mayStartThread && !isSteered) {
                workers.startIfShort(isDue);
            }
            if (isDue && !isSteered && handOverNow(timer, dueNanos)) {
                posted = true;
                workers.signal();
            } else {
                if (mayWait && inbox.isFlooded(FLOOD)) {
                    awaitEbb();
                }
                long neededAtNanos = neededAt(timer);
                send(timer);
                posted = true;
                if (isDue && !shortcut.isHeld() && timer.deadlineNanos() - dueNanos <= 0) {
                    shortcut.countDetour();
                }
                inbox.wakeFor(neededAtNanos);
            }
            if (!isStarted) {
                // The caller that was starting the tick thread may have failed meanwhile.
                boolean ignored = lifecycle.startIfNeeded();
            }
        } catch (Throwable ex) {
            if (posted) {
                // A timer that fails at the very end is not accepted, either.
                boolean ignored = timer.withdraw();
            } else {
                takeBack(timer);
            }
            throw ex;
        }
        // A shutdown that came meanwhile may not have seen the timer.
        return !(lifecycle.isEnding()
                && mayHaveComeTooLate(timer)
                && timer.withdraw()
                && !hasRunSince(timer, armedNanos));
    }

    /**
     * Whether a timer that has been cancelled has run before: a run moves it on, and a task that has run is not
     * rejected.
     */
    private static boolean hasRunSince(ScheduledTimer<?> timer, long armedNanos) {
        return timer instanceof PeriodicTimer && timer.deadlineNanos() != armedNanos;
    }

    private boolean mayHaveComeTooLate(ScheduledTimer<?> timer) {
        return lifecycle.isLeaving() || (runState.isShutdown() && !(timer.isRepeating() && runState.mayRepeat()));
    }

    /** Posts a timer, so that a thread that sees the message sees it counted. */
    void send(ScheduledTimer<?> timer) {
        pending.countMessage(1);
        try {
            inbox.postLazily(timer);
        } catch (Throwable ex) {
            pending.countMessage(-1);
            throw ex;
        }
    }

    /**
     * Hands a due timer straight to the workers. It takes the way through the inbox if they are full or paused, if
     * timers are held, or if earlier timers wait. False, too, if the timer has been moved beyond that time, or
     * cancelled.
     */
    private boolean handOverNow(ScheduledTimer<?> timer, long nowNanos) {
        if (!shortcut.isFree() || workers.isPaused()) {
            return false;
        }
        if (slots != null && !slots.tryTake(timer)) {
            return false;
        }
        if (!timer.claim(nowNanos)) {
            releaseSlot(timer, true);
            return false;
        }
        pending.countHandOver(1);
        boolean taken = false;
        try {
            taken = workers.handOverNow(timer.runnable(), nowNanos);
        } finally {
            if (!taken) {
                pending.countHandOver(-1);
                releaseSlot(timer, timer.unclaim());
            }
        }
        return taken;
    }

    private void releaseSlot(ScheduledTimer<?> timer, boolean isPending) {
        if (slots != null) {
            slots.release(timer, isPending);
        }
    }

    /** Waits for the tick thread, which cannot keep up with its callers; for a while only. */
    private void awaitEbb() {
        // It may sleep, and would wake for the next message only.
        inbox.wake();
        for (int i = 0; i < FLOOD_WAITS && inbox.holdsMoreThan(FLOOD / 2); i++) {
            LockSupport.parkNanos(this, FLOOD_WAIT_NANOS);
        }
    }

    /** Undoes the arming of a timer that could not be posted. */
    private void takeBack(ScheduledTimer<?> timer) {
        if (timer.giveBack()) {
            pending.releasePermit(timer);
            if (slots != null && slots.isTakenAtCall(timer)) {
                slots.release();
            }
        } else {
            // The decorator has cancelled or run it: it was counted as gone, and will never be counted as posted.
            pending.countOtherPost(-1);
        }
    }

    /**
     * Returns the task in whose books the timer is kept; null, after the decorator has had its say, if there is none.
     */
    private static @Nullable ManagedTask managed(ScheduledTimer<?> timer, Function<WheelTimer<?>, Runnable> decorator) {
        if (timer.task() instanceof ManagedTask managed) {
            return managed;
        }
        Runnable outer = Objects.requireNonNull(decorator.apply(timer), "the decorator must not return null");
        if (outer == timer) {
            return null;
        }
        if (outer instanceof ManagedTask books) {
            timer.adopt(books);
            return books;
        }
        timer.decorate(outer);
        return null;
    }

    private void reject(ScheduledTimer<?> timer, String reason) {
        rejected.increment();
        boolean ignored = timer.giveBack();
        RejectedExecutionException rejection =
                new RejectedExecutionException("Task rejected, because " + reason + ": " + timer);
        if (isSteered(timer)) {
            throw rejection;
        }
        settings.rejectionHandler().rejected(timer, rejection);
    }

    private static boolean isSteered(ScheduledTimer<?> timer) {
        return timer.task() instanceof ManagedTask managed && managed.isSteered();
    }

    // Arming again

    /** An armed timer is to run earlier than the wheel knows. */
    void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos) {
        send(timer);
        pending.countOtherPost(1);
        inbox.wakeFor(deadlineNanos);
        lifecycle.wakeIfItMayEnd();
        if (inbox.isFlooded(FLOOD)) {
            awaitEbb();
        }
    }

    /** Arms the next run of a periodic timer, one of whose runs has ended. Worker. */
    void repeat(PeriodicTimer timer) {
        long nowNanos = clock.nanoTime();
        long nextNanos = nextDeadlineNanos(timer, timer.pacing(), nowNanos);
        if (runState.mayRepeat()) {
            if (!timer.rearmExactly(nextNanos, nowNanos)) {
                return;
            }
            passOn(timer, nextNanos, nowNanos);
        } else {
            timer.endRun();
        }
        if (!runState.mayRepeat()) {
            // Not timers that shutdownNow has returned meanwhile.
            boolean ignored = timer.withdraw();
        }
    }

    /** Without memory to find out, it is retried until there is some, as long as the timer may repeat. */
    private long nextDeadlineNanos(PeriodicTimer timer, @Nullable Pacing pacing, long nowNanos) {
        while (true) {
            try {
                long inPhaseNanos = catchUp.nextDeadlineNanos(timer, pacing, nowNanos);
                return pacing == null ? inPhaseNanos : inPhaseNanos + pacing.drawPutOffNanos();
            } catch (OutOfMemoryError ex) {
                if (!runState.mayRepeat()) {
                    return nowNanos + timer.intervalNanos();
                }
                ShortMemory.pause();
            }
        }
    }

    /**
     * Sends a timer on that is armed again. Without memory for that, it is retried until there is some: no other
     * thread knows of the timer. Worker.
     */
    private void passOn(PeriodicTimer timer, long nextNanos, long nowNanos) {
        boolean isHandedOver = false;
        boolean posted = false;
        while (true) {
            try {
                if (!isHandedOver && !posted) {
                    isHandedOver = nextNanos - nowNanos <= 0 && handOverNow(timer, nowNanos);
                }
                if (isHandedOver) {
                    workers.signal();
                    return;
                }
                if (!posted) {
                    send(timer);
                    posted = true;
                }
                inbox.wakeFor(timer.startOf(nextNanos));
                return;
            } catch (Throwable ex) {
                ShortMemory.pause();
            }
            if (!runState.mayRepeat()) {
                boolean ignored = timer.withdraw();
            }
            if (!isHandedOver && !posted && timer.state() != TimerWord.ARMED) {
                // It was counted as gone, and will never be counted as posted.
                pending.countOtherPost(-1);
                return;
            }
        }
    }

    /**
     * Returns when the tick thread has to know of the timer. Where the wall clock is to be watched, that may be soon.
     */
    private long neededAt(ScheduledTimer<?> timer) {
        long deadlineNanos = timer.deadlineNanos();
        if (timer instanceof InstantTimer) {
            long checkNanos = clock.nanoTime() + settings.checkIntervalNanos();
            return deadlineNanos - checkNanos < 0 ? deadlineNanos : checkNanos;
        }
        return deadlineNanos;
    }
}
