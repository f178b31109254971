package io.github.wheelscheduler.idle;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.FailureLog;
import io.github.wheelscheduler.internal.Limit;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.StripedCount;
import io.github.wheelscheduler.internal.UserCalls;
import io.github.wheelscheduler.timers.TimerSource;
import io.github.wheelscheduler.timers.Watched;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Timeouts of idle objects, such as connections: a handler is called with a key, once, when the key has not been
 * touched for the time given at its registration.
 *
 * <pre>{@code
 * IdleTimeouts<Connection> idle = IdleTimeouts.<Connection>builder(executor, Connection::close).build();
 * IdleTimeout timeout = idle.register(connection, Duration.ofSeconds(30));
 * ...
 * if (!timeout.touch()) {
 *     // Too late: it is being closed.
 * }
 * }</pre>
 *
 * <p>A touch does not involve the executor. The timer comes up once in an idle period and goes back to sleep for the
 * rest, until there is none left. So a key that is touched all the time costs one short run on a worker per idle
 * period.
 *
 * <p>Handlers run on the executor's workers. Their exceptions are counted and logged, and do not affect other keys.
 * Keys are not logged or part of any text, except in a handler's own exceptions. Two timeouts may be registered for one
 * key; they are independent.
 *
 * <p>The timers count as repeating. When the executor is shut down, it drops them, unless its policy is to continue
 * periodic tasks; then open timeouts no longer expire, and can only be closed.
 *
 * <p>All methods may be called from any thread, handlers included.
 *
 * @param <K> the type of the keys
 */
public final class IdleTimeouts<K> implements AutoCloseable {

    private static final long LONGEST_IDLE_NANOS = Long.MAX_VALUE / 4;

    final String name;
    final Consumer<? super K> handler;
    final UserCalls handlers;
    private final TimerSource timers;
    private final long closeLimitNanos;
    private final Limit limit;
    private final Set<IdleRun<K>> open = ConcurrentHashMap.newKeySet();
    final Watched watched = new Watched();
    volatile @Nullable CallObserver observer;
    private final StripedCount registered = new StripedCount();
    private final StripedCount expired = new StripedCount();
    private final StripedCount closed = new StripedCount();
    private final StripedCount rejected = new StripedCount();

    IdleTimeouts(String name, TimerSource timers, long maxSize, long closeLimitNanos, Consumer<? super K> handler) {
        this.name = name;
        this.closeLimitNanos = closeLimitNanos;
        this.timers = timers;
        this.handler = handler;
        this.handlers = new UserCalls(new FailureLog(
                Level.ERROR,
                "A handler of " + name + " failed; other timers are unaffected. Fix the handler",
                new TimeSource()::nanoTime));
        this.limit = new Limit(maxSize);
    }

    /**
     * Returns a builder of timeouts that call the handler with each key that has been idle for too long.
     *
     * @param executor on which they run; it is not shut down with them
     */
    public static <K> IdleTimeoutsBuilder<K> builder(WheelScheduledExecutor executor, Consumer<? super K> handler) {
        return new IdleTimeoutsBuilder<>(executor, handler);
    }

    /**
     * Opens a timeout for the key, which begins now.
     *
     * @param idle for how long it must not be touched to expire
     * @throws IllegalArgumentException if that is not positive
     * @throws RejectedExecutionException if these timeouts are closed or full, or the executor does not accept more;
     *     then there is none
     */
    public IdleTimeout register(K key, Duration idle) {
        StackReserve.askForMore();
        Objects.requireNonNull(key, "key must not be null");
        Objects.requireNonNull(idle, "idle must not be null");
        if (idle.isZero() || idle.isNegative()) {
            throw new IllegalArgumentException("idle must be positive, was " + idle);
        }
        return open(key, Math.min(TimeUnit.NANOSECONDS.convert(idle), LONGEST_IDLE_NANOS));
    }

    private IdleRun<K> open(K key, long idleNanos) {
        if (handlers.isClosed()) {
            throw rejection("the " + name + " have been closed");
        }
        IdleRun<K> run = run(key, idleNanos);
        if (!limit.tryTake()) {
            throw rejection("max-size is " + limit.max() + ", and " + limit.max() + " timeouts are pending");
        }
        try {
            boolean ignored = open.add(run);
            run.arm();
        } catch (Throwable ex) {
            if (run.withdraw()) {
                limit.giveBack();
                forget(run);
                if (ex instanceof RejectedExecutionException) {
                    rejected.increment();
                }
            } else {
                // It counts as registered although it has not been armed, as it has been closed meanwhile.
                registered.increment();
            }
            throw ex;
        }
        registered.increment();
        if (handlers.isClosed()) {
            // The close may have looked before it was there.
            boolean ignored = run.close();
        }
        return run;
    }

    private RejectedExecutionException rejection(String reason) {
        rejected.increment();
        return new RejectedExecutionException("Rejected, because " + reason);
    }

    private IdleRun<K> run(K key, long idleNanos) {
        CallObserver current = observer;
        Object kept = current == null ? null : current.setting(Long.MAX_VALUE);
        return kept == null
                ? new IdleRun<>(this, timers, key, idleNanos)
                : new LinkedIdleRun<>(this, timers, key, idleNanos, kept);
    }

    /** Returns how many timeouts are open; exact while nothing moves. */
    public long size() {
        return counts().open();
    }

    /**
     * Closes all timeouts, accepts no more, and waits until no handler runs; but not if it is called from within a
     * handler, nor longer than until the calling thread is interrupted, which it stays. Handlers that run for longer
     * than {@linkplain IdleTimeoutsBuilder#closeLimit the limit} are interrupted, and a second later are left alone,
     * which is logged. Afterwards no handler is called.
     */
    @Override
    public void close() {
        handlers.close();
        for (IdleRun<K> run : open) {
            boolean ignored = run.close();
        }
        handlers.awaitQuiet(name, closeLimitNanos);
    }

    /** Returns the counts of timeouts so far. */
    public IdleTimeoutCounts counts() {
        return new IdleTimeoutCounts(
                registered.sum(), expired.sum(), closed.sum(), rejected.sum(), handlers.failures());
    }

    /**
     * Returns how often a timer has come up and gone back to sleep, as its key had been touched meanwhile or its
     * timeout was paused.
     */
    public long moves() {
        return watched.moves();
    }

    /**
     * Measures how late handlers are called from now on, for {@link #lateness}. That reads the clock for each timeout
     * that expires.
     */
    public void measureLateness() {
        watched.measureLateness();
    }

    /**
     * Returns by how much timeouts have expired after the ends of their idle periods, all of them together, since that
     * is {@linkplain #measureLateness measured}.
     */
    public Duration lateness() {
        return watched.lateness();
    }

    /** Lets calls of the handler be observed from now on; null for not at all. */
    public void setCallObserver(@Nullable CallObserver observer) {
        this.observer = observer;
    }

    // For the rest of this package

    /** Counts and forgets a timeout. The thread that has ended it calls this. */
    void ended(IdleRun<K> run, boolean hasExpired) {
        (hasExpired ? expired : closed).increment();
        limit.giveBack();
        forget(run);
        run.cancelTimer();
    }

    private void forget(IdleRun<K> run) {
        try {
            boolean ignored = open.remove(run);
        } catch (OutOfMemoryError ex) {
            // It is already removed; the set has failed to count that, and its size is never read.
        }
    }

    /** Without keys, which may be secrets. */
    @Override
    public String toString() {
        return "IdleTimeouts[" + name + (handlers.isClosed() ? ", closed" : "") + ", open = " + size() + "]";
    }
}
