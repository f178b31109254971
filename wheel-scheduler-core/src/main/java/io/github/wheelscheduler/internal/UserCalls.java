package io.github.wheelscheduler.internal;

import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the calls of a user's code: contains their exceptions, and lets a close interrupt and await the calls that are
 * active. Any thread.
 */
public final class UserCalls {

    /** The number of interrupts of calls that continue after the limit, and the time between two of them. */
    private static final int MOST_INTERRUPTS = 10;

    private static final long INTERRUPT_EVERY_NANOS = 100_000_000;

    // Made before there is no memory for them.
    private static final BiFunction<Integer, Integer, Integer> ONCE_MORE = Integer::sum;
    private static final BiFunction<Thread, Integer, @Nullable Integer> ONCE_LESS = UserCalls::onceLess;

    private final FailureLog log;
    private final AtomicLong failures = new AtomicLong();

    /**
     * Counts the threads that are in a call, or about to be. Read after {@link #closed} is written; and written before
     * that is read.
     */
    private final AtomicInteger entered = new AtomicInteger();

    /** The threads that are in a call, each with how often: a call may be made within another. */
    private final ConcurrentHashMap<Thread, Integer> inside = new ConcurrentHashMap<>();

    /** The threads whose call has been interrupted. Added while its count in {@link #inside} is locked. */
    private final Set<Thread> interrupted = ConcurrentHashMap.newKeySet();

    private final CountDownLatch quiet = new CountDownLatch(1);
    private volatile boolean closed;

    /**
     * Creates one without calls.
     *
     * @param log logs exceptions thrown by calls
     */
    public UserCalls(FailureLog log) {
        this.log = log;
    }

    /**
     * Begins a call, which the same thread ends with {@link #leave}; calls may be nested.
     *
     * @return false, and nothing has begun, after {@link #close}
     * @throws OutOfMemoryError if there is no memory for it; nothing has begun
     */
    public boolean enter() {
        entered.incrementAndGet();
        boolean isIn = false;
        try {
            if (!closed) {
                Integer ignored = inside.merge(Thread.currentThread(), 1, ONCE_MORE);
                isIn = true;
            }
        } catch (OutOfMemoryError ex) {
            forgetThread();
            throw ex;
        } finally {
            if (!isIn) {
                countOut();
            }
        }
        return isIn;
    }

    /** Ends what {@link #enter} began. No interrupt of {@link #interrupt} reaches the thread afterwards. */
    public void leave() {
        try {
            forgetThread();
        } finally {
            countOut();
        }
    }

    private void forgetThread() {
        try {
            Integer ignored = inside.computeIfPresent(Thread.currentThread(), ONCE_LESS);
        } catch (OutOfMemoryError ex) {
            // The thread is out by then; the map has failed to count that, and it is never asked for its size.
        }
        if (closed && !isInside() && interrupted.remove(Thread.currentThread())) {
            // It was meant for the call, not for the thread's next work.
            boolean ignored = Thread.interrupted();
        }
    }

    private static @Nullable Integer onceLess(Thread thread, Integer times) {
        return times == 1 ? null : times - 1;
    }

    private void countOut() {
        if (entered.decrementAndGet() == 0 && closed) {
            quiet.countDown();
        }
    }

    /** Returns whether the calling thread is in a call. */
    public boolean isInside() {
        return inside.containsKey(Thread.currentThread());
    }

    /**
     * Calls a handler, and counts and logs its exceptions. Throws nothing. Within {@link #enter} and {@link #leave}.
     */
    public <T> void call(Consumer<? super T> handler, T argument) {
        try {
            handler.accept(argument);
        } catch (Throwable ex) {
            failed(ex);
        }
    }

    /** Counts and logs the exception of a call. Throws nothing. */
    public void failed(Throwable failure) {
        failures.incrementAndGet();
        log.log(failure);
    }

    /** Returns how many calls have thrown something. */
    public long failures() {
        return failures.get();
    }

    /** Lets no call begin from now on. */
    public void close() {
        closed = true;
        if (entered.get() == 0) {
            quiet.countDown();
        }
    }

    /** Returns whether {@link #close} has been called. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Waits, after {@link #close}, until no call is active. After the limit it interrupts the calls that are, for a
     * second; if some continue all the same, that is logged. Called from within a call, it does not wait; nor once the
     * thread is interrupted, which it stays.
     *
     * @param owner the name of the owner of the calls, for the log
     */
    public void awaitQuiet(String owner, long limitNanos) {
        if (isInside()) {
            return;
        }
        try {
            boolean isQuiet = quiet.await(limitNanos, TimeUnit.NANOSECONDS);
            for (int i = 0; i < MOST_INTERRUPTS && !isQuiet; i++) {
                isQuiet = interruptAndAwaitQuiet();
            }
            if (!isQuiet) {
                logStillRunning(owner);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void logStillRunning(String owner) {
        try {
            String message = "Closing " + owner + " interrupted its handlers and stopped waiting; " + inside.size()
                    + " threads are still running one. Let handlers end when they are interrupted";
            EngineLog.log(Level.WARNING, message, null, null);
        } catch (Throwable ex) {
            // Neither a broken log nor a lack of memory may affect the caller.
        }
    }

    /**
     * Interrupts, after {@link #close}, the calls that are active, and waits a moment for their end; returns whether
     * none is.
     */
    public boolean interruptAndAwaitQuiet() throws InterruptedException {
        try {
            inside.keySet().forEach(this::interrupt);
        } catch (OutOfMemoryError ex) {
            // The others are interrupted the next time.
        }
        return quiet.await(INTERRUPT_EVERY_NANOS, TimeUnit.NANOSECONDS);
    }

    private void interrupt(Thread thread) {
        // While the thread is kept from leaving.
        Integer ignored = inside.computeIfPresent(thread, (same, times) -> {
            boolean unused = interrupted.add(same);
            same.interrupt();
            return times;
        });
    }
}
