package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.internal.engine.TimerWord.ARMED;
import static io.github.wheelscheduler.internal.engine.TimerWord.CANCELLED;
import static io.github.wheelscheduler.internal.engine.TimerWord.DONE;
import static io.github.wheelscheduler.internal.engine.TimerWord.INTERRUPTED;
import static io.github.wheelscheduler.internal.engine.TimerWord.INTERRUPTING;
import static io.github.wheelscheduler.internal.engine.TimerWord.READY;
import static io.github.wheelscheduler.internal.engine.TimerWord.RETURNED;
import static io.github.wheelscheduler.internal.engine.TimerWord.RUNNING;
import static io.github.wheelscheduler.internal.engine.TimerWord.deadlineOf;
import static io.github.wheelscheduler.internal.engine.TimerWord.stateOf;
import static io.github.wheelscheduler.internal.engine.TimerWord.withState;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.wheel.TimerNode;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A timer and its future in one object: deadline, state, task or outcome, and the links of the wheel. A second object
 * would cost each of millions of timers its header. Every method is a move of one word.
 *
 * @param <V> the type of the result
 */
public abstract class ScheduledTimer<V extends @Nullable Object> extends TimerNode implements WheelTimer<V> {

    /*
     * The state word holds the deadline and the state (see TimerWord), so that one compare-and-set decides between all
     * who want to move the timer:
     *
     *                  reschedule (other deadline)
     *                    +------+
     *                    |      v                                                       +--> DONE
     *   new timer ----> ARMED ----claim----> READY ----start----> RUNNING ----finish----+
     *                    ^ |                   |                   |  |                 +--> (ARMED: repeating timers)
     *                    | +-----cancel--------+------cancel-------+  |
     *                    |           v                                v cancel(true)
     *                    |       CANCELLED                       INTERRUPTING --> INTERRUPTED
     *                    |
     *                    +---- RETURNED is where shutdownNow and rejection leave a timer:
     *                          not pending, still cancellable
     *
     *   claim: tick thread, or who arms it. start, finish: the thread that runs it. cancel, reschedule: any thread.
     *
     * The thread that makes a move handles its consequences, so that they happen once: the count of pending timers,
     * the permit,
     * waking threads that wait for the result, letting go of the task.
     */

    /*
     * Updaters, and not handles: until a compiler has built them in, a call of a handle takes several times as long,
     * and gives the compilers more to do.
     */
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<ScheduledTimer> WORD =
            AtomicLongFieldUpdater.newUpdater(ScheduledTimer.class, "word");

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<ScheduledTimer, @Nullable Object> PARTIES =
            AtomicReferenceFieldUpdater.newUpdater(ScheduledTimer.class, Object.class, "parties");

    /** Stands in for a failure that there was no memory to keep; made before there can be one. */
    static final Failure WITHOUT_MEMORY =
            new Failure(new OutOfMemoryError("The run failed, and there was no memory left to record the cause"));

    static {
        ShortMemory.prepare();
        // Linked here, so that no run needs memory for that.
        boolean ignored = new Waiters(null).claim(Thread.currentThread());
    }

    private final TimerOwner owner;

    /** Deadline and state. */
    private volatile long word;

    /**
     * The task; once done, the result or a {@link Failure}. Written by the runner before it moves the word to DONE, and
     * to null by the thread that cancels before a run, or by the runner if that loses the word.
     */
    private @Nullable Object payload;

    /**
     * The thread in the run, claimed from null so that two threads that call run() do not run it twice; or the
     * {@link Waiters}, which hold that thread then. Never a thread or null again after it was these. One field for
     * both, as a second one would cost each timer 8 bytes where headers are compact.
     */
    private volatile @Nullable Object parties;

    ScheduledTimer(TimerOwner owner, Object task, long deadlineNanos) {
        this.owner = owner;
        this.payload = task;
        // The inbox, which hands the timer to another thread, orders this write.
        WORD.lazySet(this, TimerWord.of(deadlineNanos, ARMED));
    }

    // The moves

    /**
     * Claims the timer for its run if it is armed with a deadline that has come.
     *
     * @return whether it did; if not, it is over, or its deadline has been moved
     */
    final boolean claim(long nowNanos) {
        long seen = word;
        while (stateOf(seen) == ARMED && deadlineOf(seen) - nowNanos <= 0) {
            if (WORD.compareAndSet(this, seen, seen | READY)) {
                return true;
            }
            seen = word;
        }
        return false;
    }

    /**
     * Takes a {@link #claim} back, because the run could not be handed over; false if another thread has moved the
     * timer meanwhile, which has left its slot to the thread that hands over.
     */
    final boolean unclaim() {
        return move(READY, ARMED);
    }

    /** Takes the timer out of use if no worker knows of it; false if it is on its way to one, or has been moved. */
    final boolean takeOut() {
        return move(ARMED, RETURNED);
    }

    /** Takes the timer out of use for shutdownNow; false if another thread has moved it. */
    final boolean giveBack() {
        return move(ARMED, RETURNED) || move(READY, RETURNED);
    }

    /**
     * Runs the task on the calling thread, if the timer is not over and no other thread runs it. A one-time timer can
     * be run before it is due; a repeating one cannot.
     */
    @Override
    public final void run() {
        StackReserve.ask();
        int before;
        DecoratedTask decorated = decorated(payload);
        if (decorated != null) {
            decorated.calls.incrementAndGet();
        }
        do {
            if (isDone() || !claimRun()) {
                return;
            }
            before = start();
            if (before < 0) {
                leaveToOthers();
            }
            // A worker that came with the next run meanwhile was turned away by this thread's claim.
        } while (before < 0 && state() == READY);
        if (before >= 0) {
            if (before != RETURNED) {
                owner.started(this, before);
            }
            try {
                perform(before == READY);
            } catch (OutOfMemoryError ex) {
                endIfLeft(WITHOUT_MEMORY);
                throw ex;
            }
        }
    }

    /**
     * Begins the end of a run that the timer is ready for, and that is not to take place; false if it is over, or
     * another thread is in it.
     */
    final boolean startRefusal() {
        if (isDone() || !claimRun()) {
            return false;
        }
        if (!move(READY, RUNNING)) {
            leaveToOthers();
            return false;
        }
        return true;
    }

    /**
     * Ends a run of the calling thread that an error has left unfinished. Either ending it failed, as a first call
     * needs memory to be linked, or an error skipped its handlers. Throws nothing.
     */
    final void endIfLeft(Failure failure) {
        while (isOnItsThread() || isStillInRun()) {
            try {
                // If it has not even started.
                boolean ignored = withdraw();
                finish(failure, false);
            } catch (Throwable ex) {
                ShortMemory.pause();
            }
        }
        if (isDone()) {
            releaseWaiters();
        }
    }

    private boolean claimRun() {
        Thread thread = Thread.currentThread();
        return PARTIES.compareAndSet(this, null, thread)
                || (parties instanceof Waiters waiters && waiters.claim(thread));
    }

    /** Returns the thread in the run, null if there is none. */
    private @Nullable Thread runner() {
        Object seen = parties;
        return seen instanceof Waiters waiters ? waiters.runner : (Thread) seen;
    }

    /** Lets others run the timer once the move that follows allows it, and not before: that move makes this visible. */
    private void releaseRunner() {
        Object seen = parties;
        if (seen instanceof Thread && !PARTIES.compareAndSet(this, seen, null)) {
            seen = parties;
        }
        if (seen instanceof Waiters waiters) {
            waiters.release();
        }
    }

    /** Whether the calling thread is the one that is in a run. */
    final boolean isOnItsThread() {
        return runner() == Thread.currentThread();
    }

    /**
     * Whether the calling thread, which was in a run, has not ended it: also if it has failed when no thread was in it
     * any more.
     */
    final boolean isStillInRun() {
        Thread thread = runner();
        return state() == RUNNING
                && (thread == Thread.currentThread() || (thread == null && !(this instanceof PeriodicTimer)));
    }

    /**
     * Gives the claim of a thread back that must not run the timer. For a moment it looked like the thread in the run,
     * and an interrupt may have been meant for that one: it ends here.
     */
    private void leaveToOthers() {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        releaseRunner();
        VarHandle.fullFence();
        // After that: a thread that cancels from now on finds no runner.
        int state = state();
        if ((state == INTERRUPTING || state == INTERRUPTED) && !wasInterrupted) {
            awaitInterrupt();
        }
    }

    /** Moves to RUNNING and returns the state before, or -1 if the timer must not run. */
    private int start() {
        long seen = word;
        int state = stateOf(seen);
        while (state == ARMED || state == READY || state == RETURNED) {
            if (!owner.mayStart(this, state == READY) || (state == RETURNED && isRepeating())) {
                boolean ignored = cancelFrom(RETURNED, false);
                return -1;
            }
            if (state == ARMED && isRepeating()) {
                return -1;
            }
            if (WORD.compareAndSet(this, seen, withState(seen, RUNNING))) {
                return state;
            }
            seen = word;
            state = stateOf(seen);
        }
        return -1;
    }

    /**
     * Does the run, in the state RUNNING, and ends the timer with its result.
     *
     * @param wasReady whether a worker has it, or had
     */
    void perform(boolean wasReady) {
        Object task = task();
        Object outcome;
        try {
            outcome = task == null ? null : call(task);
        } catch (Throwable ex) {
            outcome = Failure.of(ex);
        }
        finish(outcome, wasReady);
    }

    /** Calls the task and returns its result. */
    @Nullable
    Object call(Object task) throws Exception {
        ((Runnable) task).run();
        return null;
    }

    /** Ends the timer with its outcome, unless it has been cancelled meanwhile. */
    final void finish(@Nullable Object outcome, boolean wasReady) {
        letGo();
        releaseRunner();
        // In this order: a thread that reads the outcome, and then the runner, sees that there is none.
        VarHandle.storeStoreFence();
        payload = outcome;
        // Before it is done: a thread that sees that may schedule another in its place.
        owner.ending(this, wasReady);
        if (move(RUNNING, DONE)) {
            releaseWaiters();
        } else {
            payload = null;
            awaitInterrupt();
        }
    }

    /** Arms the timer again after a run; false if it has been cancelled meanwhile. */
    final boolean rearm(long deadlineNanos) {
        releaseRunner();
        if (arm(RUNNING, deadlineNanos)) {
            return true;
        }
        letGo();
        awaitInterrupt();
        return false;
    }

    /** Cancels the timer if it has not started. */
    final boolean withdraw() {
        return cancelFrom(READY, false);
    }

    /** Cancels the timer at the end of a run, because it must not be armed again. */
    final void endRun() {
        releaseRunner();
        boolean ignored = cancelFrom(RETURNED, false);
        letGo();
        awaitInterrupt();
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.ask();
        return cancelFrom(RETURNED, mayInterruptIfRunning);
    }

    /** Cancels the timer unless it is beyond that state, in the middle of something that has made sure of its stack. */
    private boolean cancelFrom(int lastState, boolean mayInterruptIfRunning) {
        long seen = word;
        while (true) {
            int state = stateOf(seen);
            if (state > lastState) {
                return false;
            }
            boolean interrupts = state == RUNNING && mayInterruptIfRunning;
            if (WORD.compareAndSet(this, seen, withState(seen, interrupts ? INTERRUPTING : CANCELLED))) {
                try {
                    if (interrupts) {
                        interruptRunner();
                    }
                } finally {
                    // The thread of a run holds the task anyway and releases it at the end, so it can be named.
                    if (state != RUNNING) {
                        letGo();
                    }
                    tellOwner(state);
                }
                return true;
            }
            seen = word;
        }
    }

    /** Tells that the timer has been cancelled; even if that fails, no thread waits for the result any longer. */
    private void tellOwner(int stateBefore) {
        try {
            owner.cancelled(this, stateBefore);
        } finally {
            releaseWaiters();
        }
    }

    @Override
    public boolean reschedule(long delay, TimeUnit unit) {
        StackReserve.ask();
        long deadlineNanos = owner.deadlineAfter(delay, unit);
        long seen = word;
        long startNanos = startOf(deadlineOf(seen));
        forgetStart();
        while (stateOf(seen) == ARMED) {
            if (WORD.compareAndSet(this, seen, TimerWord.of(deadlineNanos, ARMED))) {
                if (deadlineNanos - deadlineOf(seen) < 0 || deadlineNanos - startNanos < 0) {
                    moveEarlier(deadlineNanos, deadlineOf(seen));
                }
                return true;
            }
            seen = word;
        }
        return false;
    }

    /** Tells the owner of an earlier deadline; if that fails, the timer keeps the one before. */
    private void moveEarlier(long deadlineNanos, long deadlineBefore) {
        try {
            owner.movedEarlier(this, deadlineNanos);
        } catch (Throwable ex) {
            boolean ignored = WORD.compareAndSet(this, TimerWord.of(deadlineNanos, ARMED), deadlineBefore | ARMED);
            throw ex;
        }
    }

    /** Gives an armed timer another deadline; true unless it is not armed. The caller tells the wheel. */
    final boolean moveDeadline(long deadlineNanos) {
        return arm(ARMED, deadlineNanos);
    }

    private boolean arm(int from, long deadlineNanos) {
        long seen = word;
        while (stateOf(seen) == from) {
            if (WORD.compareAndSet(this, seen, TimerWord.of(deadlineNanos, ARMED))) {
                return true;
            }
            seen = word;
        }
        return false;
    }

    private boolean move(int from, int to) {
        long seen = word;
        while (stateOf(seen) == from) {
            if (WORD.compareAndSet(this, seen, withState(seen, to))) {
                return true;
            }
            seen = word;
        }
        return false;
    }

    // Interrupts

    private void interruptRunner() {
        try {
            Thread thread = runner();
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            // Threads may override interrupt(), and the run waits for this.
            word = withState(word, INTERRUPTED);
        }
    }

    /** Waits until an interrupt of this run has been delivered, and takes it off the thread. */
    private void awaitInterrupt() {
        while (state() == INTERRUPTING) {
            LockSupport.parkNanos(this, 10_000);
        }
        if (state() == INTERRUPTED) {
            boolean ignored = Thread.interrupted();
        }
    }

    // The result

    @Override
    public final V get() throws InterruptedException, ExecutionException {
        CountDownLatch latch = latchIfNotDone();
        if (latch != null) {
            latch.await();
        }
        return result();
    }

    @Override
    public final V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long timeoutNanos = unit.toNanos(timeout);
        CountDownLatch latch = latchIfNotDone();
        if (latch != null && !latch.await(timeoutNanos, TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("The task has not ended within " + timeout + " " + unit + ": " + this);
        }
        return result();
    }

    /**
     * Returns the latch to wait for, or null if the timer is done. The latch is in place before the state is read
     * again.
     */
    private @Nullable CountDownLatch latchIfNotDone() {
        if (isDone()) {
            return null;
        }
        Object seen = parties;
        while (!(seen instanceof Waiters)) {
            Waiters created = new Waiters((Thread) seen);
            seen = PARTIES.compareAndSet(this, seen, created) ? created : parties;
        }
        return isDone() ? null : (Waiters) seen;
    }

    private void releaseWaiters() {
        if (parties instanceof Waiters waiters) {
            waiters.countDown();
        }
    }

    // NullAway: a null outcome is a V where V may be null, which it knows from JDK 25 on only.
    @SuppressWarnings({"unchecked", "NullAway"})
    private V result() throws ExecutionException {
        if (state() != DONE) {
            throw new CancellationException("The timer was cancelled: " + this);
        }
        if (payload instanceof Failure failure) {
            throw new ExecutionException(failure.cause());
        }
        return (V) payload;
    }

    @Override
    public final boolean isDone() {
        return state() >= DONE;
    }

    @Override
    public final boolean isCancelled() {
        return state() >= CANCELLED;
    }

    // The deadline

    /** Returns when the run is to be handed over: when it is due, or later if a {@link StartTolerance} says so. */
    @Override
    protected final long deadlineNanos() {
        return startOf(dueNanos());
    }

    /** Returns when a run that is due at that time is to be handed over; not earlier. */
    long startOf(long dueNanos) {
        return dueNanos;
    }

    /** The timer is about to be moved by a caller, who says when it starts. */
    void forgetStart() {}

    /** Returns when the run is due. */
    final long dueNanos() {
        return deadlineOf(word);
    }

    /** Returns when the run is due, without the rounding that the state word adds, if that is known. */
    long exactDueNanos() {
        return dueNanos();
    }

    /** Returns the time from which on a start is late. */
    long lateFromNanos() {
        return exactDueNanos();
    }

    /**
     * Whether its deadline had passed before it was armed, as for a catch-up run; the tick thread is not the cause of
     * that.
     */
    boolean wasArmedLate() {
        return false;
    }

    /** Whether the wheel need not hold this timer: it is not armed. */
    @Override
    protected final boolean isOver() {
        return state() != ARMED;
    }

    @Override
    public final long getDelay(TimeUnit unit) {
        return unit.convert(dueNanos() - owner.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public final int compareTo(Delayed other) {
        if (other == this) {
            return 0;
        }
        return other instanceof ScheduledTimer<?> timer
                ? Long.signum(dueNanos() - timer.dueNanos())
                : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean isPeriodic() {
        return false;
    }

    @Override
    public boolean isRepeating() {
        return false;
    }

    // For the rest of this package

    /** Takes the permit to be pending away from this timer; true for one caller. One-time timers are over only once. */
    boolean takePermit() {
        return true;
    }

    /** Whether this timer is one of a few, of which there are the fewer the larger the shift. */
    final boolean isSample(int shift) {
        return spread() >>> shift == 0;
    }

    public final TimerOwner owner() {
        return owner;
    }

    final int state() {
        return stateOf(word);
    }

    /** Wraps the task so that a worker runs {@code outer}, which is to run this timer. Before the timer is posted. */
    final void decorate(Runnable outer) {
        payload = new DecoratedTask(this, outer, payload);
    }

    /** Lets another task record the runs of this one, if it has no result. Before the timer is posted. */
    void adopt(ManagedTask books) {
        if (payload instanceof Runnable task) {
            payload = new AdoptedTask(task, books);
        }
    }

    /** Drops the task and its wrapper: the ready queue may hold the wrapper for a while. */
    private void letGo() {
        DecoratedTask decorated = decorated(payload);
        if (decorated != null) {
            decorated.letGo();
        }
        payload = null;
    }

    /** Returns the task for a worker: this, or its wrapper. */
    final Runnable runnable() {
        DecoratedTask decorated = decorated(payload);
        return decorated != null ? decorated : this;
    }

    /**
     * Whether it has no time of its own, or its task is to run now, so that it runs though others are held in the
     * wheel.
     */
    final boolean runsAtOnce() {
        return hasNoTime() || (taskIfAny() instanceof ManagedTask managed && managed.runsAtOnce());
    }

    /**
     * Returns the mark, see {@link GroupSlots}, of the last refusal of its series; 0 if none came after the last run.
     */
    int refusedAt() {
        return 0;
    }

    /** Sets {@link #refusedAt}. Called by the thread that moves the timer. */
    void setRefusedAt(int mark) {}

    /** Whether it was submitted without a time. */
    boolean hasNoTime() {
        return false;
    }

    /**
     * Returns the user's task while the timer is pending or in a run, cancelled or not; null once it has been released,
     * also for a result.
     */
    final @Nullable Object taskIfAny() {
        Object held = task();
        VarHandle.loadLoadFence();
        int state = state();
        boolean holdsTask = state < RUNNING || state == RETURNED || (state != DONE && runner() != null);
        return holdsTask ? held : null;
    }

    /** Returns the user's task; null once it has been released. By the thread that is about to run it. */
    final @Nullable Object task() {
        Object held = payload;
        DecoratedTask decorated = decorated(held);
        return decorated != null ? decorated.task : held;
    }

    /** Returns the wrapper of the task, if there is one; without a decorator it does not touch the task. */
    private @Nullable DecoratedTask decorated(@Nullable Object held) {
        return owner.decorates() && held instanceof DecoratedTask wrapper ? wrapper : null;
    }

    @Override
    public final String toString() {
        return TimerText.of(this);
    }

    /** Threads that wait for the result, and the thread in the run. Made by the first one that waits. */
    private static final class Waiters extends CountDownLatch {

        private static final AtomicReferenceFieldUpdater<Waiters, @Nullable Thread> RUNNER =
                AtomicReferenceFieldUpdater.newUpdater(Waiters.class, Thread.class, "runner");

        private volatile @Nullable Thread runner;

        Waiters(@Nullable Thread runner) {
            super(1);
            RUNNER.lazySet(this, runner);
        }

        boolean claim(Thread thread) {
            return RUNNER.compareAndSet(this, null, thread);
        }

        void release() {
            RUNNER.lazySet(this, null);
        }
    }

    /** The exception of a run. */
    record Failure(Throwable cause) {

        /** Returns the failure of a run; never fails itself. */
        static Failure of(Throwable cause) {
            try {
                return new Failure(cause);
            } catch (OutOfMemoryError ex) {
                return WITHOUT_MEMORY;
            }
        }
    }
}
