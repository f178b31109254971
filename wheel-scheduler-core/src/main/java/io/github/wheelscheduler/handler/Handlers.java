package io.github.wheelscheduler.handler;

import io.github.wheelscheduler.internal.FailureLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a user's handler: keeps what they throw from everything else, and lets whoever closes wait for those that are going on.
 * All methods may be called from any thread.
 */
public final class Handlers {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");
    private static final long PAUSE_WITHOUT_MEMORY_NANOS = 1_000_000;

    /** How often handlers are interrupted that go on for too long while somebody closes, and how long it is between two of these. */
    private static final int MOST_INTERRUPTS = 10;

    private static final long INTERRUPT_EVERY_NANOS = 100_000_000;

    // Made before there is no memory for them.
    private static final BiFunction<Integer, Integer, Integer> ONCE_MORE = Integer::sum;
    private static final BiFunction<Thread, Integer, @Nullable Integer> ONCE_LESS = Handlers::onceLess;

    private final String owner;
    private final FailureLog log;
    private final AtomicLong failures = new AtomicLong();

    /** Counts who is in a handler, or about to be. Read after {@link #closed} is written; and written before that is read. */
    private final AtomicInteger entered = new AtomicInteger();

    /** The threads that are in a handler, each with how often: who runs a task may do so within another. */
    private final ConcurrentHashMap<Thread, Integer> inside = new ConcurrentHashMap<>();

    /** Those whose handler has been interrupted. Added while its count in {@link #inside} is locked. */
    private final Set<Thread> interrupted = ConcurrentHashMap.newKeySet();

    private final long closeLimitNanos;
    private final CountDownLatch quiet = new CountDownLatch(1);
    private volatile boolean closed;

    /**
     * @param owner the name of what the handlers belong to, for the log
     * @param nanoClock a monotonic clock in nanoseconds
     * @param closeLimitNanos how long whoever closes waits for handlers before he interrupts them
     */
    public Handlers(String owner, LongSupplier nanoClock, long closeLimitNanos) {
        this.closeLimitNanos = closeLimitNanos;
        this.owner = owner;
        this.log =
                new FailureLog(Level.ERROR, "A handler of " + owner + " failed, which harms nothing else", nanoClock);
    }

    /**
     * Begins the call of a handler, which the same thread ends with {@link #leave}.
     *
     * @return false, and nothing has begun, if {@link #close} was called
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

    /** Ends what {@link #enter} began. */
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
            // The thread is out by then; the map has failed to count that, and nobody asks it for its size.
        }
        if (closed && !inside.containsKey(Thread.currentThread()) && interrupted.remove(Thread.currentThread())) {
            // It was meant for the handler, and not for what the thread does next.
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

    /** Counts and logs what a handler has thrown. Throws nothing. */
    public void failed(Throwable failure) {
        failures.incrementAndGet();
        log.log(failure);
    }

    /** Returns how many calls have thrown something. */
    public long failures() {
        return failures.get();
    }

    /** From now on, nobody enters. */
    public void close() {
        closed = true;
        if (entered.get() == 0) {
            quiet.countDown();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /**
     * Waits, after {@link #close}, until no handler runs any more. After the limit it interrupts those that do, for a second; what goes on
     * all the same is logged. Called from within a handler, it does not wait; nor once the thread is interrupted, which it stays.
     */
    public void awaitQuiet() {
        if (inside.containsKey(Thread.currentThread())) {
            return;
        }
        try {
            boolean isQuiet = quiet.await(closeLimitNanos, TimeUnit.NANOSECONDS);
            for (int i = 0; i < MOST_INTERRUPTS && !isQuiet; i++) {
                inside.keySet().forEach(this::interrupt);
                isQuiet = quiet.await(INTERRUPT_EVERY_NANOS, TimeUnit.NANOSECONDS);
            }
            if (!isQuiet) {
                logStillRunning();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void logStillRunning() {
        try {
            LOGGER.log(
                    Level.WARNING,
                    "Closing " + owner + " has interrupted handlers and waits no longer; " + inside.size()
                            + " threads are still in one");
        } catch (Throwable ex) {
            // Neither a broken log nor a lack of memory may harm the caller.
        }
    }

    private void interrupt(Thread thread) {
        // While the thread is kept from leaving.
        Integer ignored = inside.computeIfPresent(thread, (same, times) -> {
            boolean unused = interrupted.add(same);
            same.interrupt();
            return times;
        });
    }

    /** Waits a moment before something is tried again for which there was no memory. */
    public static void pauseWithoutMemory() {
        try {
            LockSupport.parkNanos(PAUSE_WITHOUT_MEMORY_NANOS);
        } catch (OutOfMemoryError ex) {
            // Virtual threads need memory to sleep.
            Thread.onSpinWait();
        }
    }
}
