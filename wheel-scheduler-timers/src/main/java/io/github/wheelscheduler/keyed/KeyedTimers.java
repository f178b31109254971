package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.ManagedTask;
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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Timers that go by a key: each key has a value and a time at most, and when that comes, a handler is called with both.
 *
 * <pre>{@code
 * KeyedTimers<String, Order> unpaid =
 *         KeyedTimers.<String, Order>builder(executor, (id, order) -> order.expire()).build();
 * unpaid.set(order.id(), order, Duration.ofMinutes(15));
 * ...
 * Order paid = unpaid.remove(id);        // null: too late
 * }</pre>
 *
 * <p>An entry ends once: it is fired, removed, replaced, drained, or closed. If {@code set}, {@code move} or {@code
 * remove} reports success, the old deadline does not fire. A key is gone before its handler is called, so the handler
 * may set it again. Handlers of one key never overlap: an entry that is due while the handler of an earlier value runs
 * waits for it, holds no thread meanwhile, and is pending until then.
 *
 * <p>Handlers run on the executor's workers. Their exceptions are counted and logged, and do not affect other keys. No
 * log line and no other text has a key or a value, unless the exception of a handler has it.
 *
 * <p>When the executor is shut down, pending entries are treated as its delayed tasks are. An entry that it no longer
 * runs stays pending until it is {@linkplain #drain drained}, removed, or {@linkplain #close closed}. An entry that
 * waits for the handler of its key still runs after that handler.
 *
 * <p>All methods may be called from any thread, handlers included. Keys need {@code equals} and {@code hashCode} that
 * are quick, do not fail, and do not call back; nor does a rejection handler of the executor use these timers. A key
 * must not change while it is pending: a key that is not found when its time comes is not handled, which is counted and
 * logged; then nothing of it stays.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class KeyedTimers<K, V> implements AutoCloseable {

    /**
     * The number of keys of one hash among which an entry with a changed key is searched; what is not found stays until
     * all is closed.
     */
    private static final int MOST_LOOKS = 8;

    private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(1);

    final String name;
    final TimerSource timers;
    final UserCalls handlers;
    final Limit limit;
    final Firing<K, V> firing;
    final KeyedTally tally = new KeyedTally();
    final Watched watched = new Watched();
    private final long closeLimitNanos;
    private final FailureLog dropLog;
    private final ConcurrentHashMap<K, KeyedEntry<K, V>> entries = new ConcurrentHashMap<>();

    volatile @Nullable CallObserver observer;

    /** The executor has its tick thread. */
    private volatile boolean isStarted;

    /** Made before there is no memory for it. */
    private final BiFunction<K, KeyedEntry<K, V>, KeyedEntry<K, V>> sameEntry = KeyedTimers::sameEntry;

    KeyedTimers(
            String name,
            TimerSource timers,
            LongSupplier nanoClock,
            long maxSize,
            long closeLimitNanos,
            Function<KeyedTimers<K, V>, Firing<K, V>> firing) {
        this.name = name;
        this.closeLimitNanos = closeLimitNanos;
        this.timers = timers;
        this.handlers = new UserCalls(new FailureLog(
                Level.ERROR,
                "A handler of " + name + " failed; other timers are unaffected. Fix the handler",
                nanoClock));
        this.dropLog = new FailureLog(
                Level.ERROR,
                "Keys must not change while they are pending; a key of " + name
                        + " changed, so its handler is not called. Use immutable keys",
                nanoClock);
        this.limit = new Limit(maxSize);
        this.firing = firing.apply(this);
    }

    /**
     * Returns a builder of timers that call the handler with each key and its value.
     *
     * @param executor on which they run; it is not shut down with them
     */
    public static <K, V> KeyedTimersBuilder<K, V> builder(
            WheelScheduledExecutor executor, BiConsumer<? super K, ? super V> handler) {
        Objects.requireNonNull(handler, "handler must not be null");
        return new KeyedTimersBuilder<>(executor, owner -> Firing.single(owner, handler));
    }

    /**
     * Returns a builder of timers that call the handler with the entries that are due together, in lists that are not
     * empty, cannot be changed, and have no key twice. Several lists may be handled at a time, with different keys.
     *
     * @param executor on which they run; it is not shut down with them
     * @param maxBatch the maximum number of entries in a list
     * @throws IllegalArgumentException if that is less than 1
     */
    public static <K, V> KeyedTimersBuilder<K, V> batchBuilder(
            WheelScheduledExecutor executor, int maxBatch, Consumer<? super List<DueEntry<K, V>>> handler) {
        Objects.requireNonNull(handler, "handler must not be null");
        if (maxBatch < 1) {
            throw new IllegalArgumentException("maxBatch must be at least 1, was " + maxBatch);
        }
        return new KeyedTimersBuilder<>(executor, owner -> new Firing<>(owner, maxBatch, handler));
    }

    /**
     * Sets the key to a value that is due after the delay, in place of a pending one. If it throws, nothing has
     * changed.
     *
     * @param delay from now; zero or negative means now
     * @return the value that was replaced in time and is not handled; null if the key was not pending
     * @throws RejectedExecutionException if these timers are closed or full, or the executor does not accept more
     */
    public @Nullable V set(K key, V value, Duration delay) {
        KeyedEntry<K, V> replaced = place(key, placement(key, requireValue(value), nanosOf(delay), true)).replaced;
        return replaced == null ? null : replaced.value;
    }

    /**
     * Sets the key to a value that is due after the delay, unless it is pending.
     *
     * @param delay from now; zero or negative means now
     * @return whether it has been set
     * @throws RejectedExecutionException if these timers are closed or full, or the executor does not accept more
     */
    public boolean setIfAbsent(K key, V value, Duration delay) {
        V given = requireValue(value);
        long delayNanos = nanosOf(delay);
        return live(key) == null && place(key, placement(key, given, delayNanos, false)).placed != null;
    }

    /**
     * Gives a pending key another time, earlier or later, and leaves it its value.
     *
     * @param delay from now; zero or negative means now
     * @return whether it was pending; then it is handled at the new time, and not at the one before
     * @throws RejectedExecutionException if the key is due already and has to be armed anew, but the executor does not
     *     accept more; nothing has changed
     */
    public boolean move(K key, Duration delay) {
        StackReserve.askForMore();
        long delayNanos = nanosOf(delay);
        // Once, unless others set the key meanwhile.
        for (KeyedEntry<K, V> entry = live(key); entry != null; entry = live(key)) {
            Object kept = entry.keptIfMoved();
            if (entry.reschedule(delayNanos, kept)
                    || place(key, new MovedPlacement<>(this, entry, delayNanos, kept)).placed != null) {
                watched.moved();
                return true;
            }
        }
        return false;
    }

    /** Takes a key out in time, and returns its value; null if it was not pending. */
    public @Nullable V remove(K key) {
        KeyedEntry<K, V> removed = take(key, live(key), tally.removed);
        return removed == null ? null : removed.value;
    }

    /** Returns whether the key is set, and its handler has not been called for that. */
    public boolean isPending(K key) {
        return live(key) != null;
    }

    /** Returns how long it is until the key is due, zero if it is; null if it is not pending. */
    public @Nullable Duration remaining(K key) {
        KeyedEntry<K, V> entry = live(key);
        return entry == null ? null : Duration.ofNanos(entry.remainingNanos());
    }

    /** Returns how many keys are pending; exact while nothing moves. */
    public long size() {
        return counts().pending();
    }

    /**
     * Takes all pending keys out and hands each with its value to the consumer, on the calling thread. The handler is
     * not called for them, and every key can be set again. Keys that are set meanwhile may be handed over or not.
     *
     * <p>If the consumer throws, that ends the drain: the pair that it was called with is drained, the others are still
     * pending.
     *
     * @return the number of keys that were handed over, once the last call of the consumer has ended
     */
    public long drain(BiConsumer<? super K, ? super V> consumer) {
        Objects.requireNonNull(consumer, "consumer must not be null");
        long drained = 0;
        for (KeyedEntry<K, V> entry : entries.values()) {
            KeyedEntry<K, V> taken = takeFound(entry, tally.drained);
            if (taken != null) {
                drained++;
                consumer.accept(taken.key, taken.value);
            }
        }
        return drained;
    }

    /**
     * Drops the pending entries, accepts no more, and waits until no handler runs. It does not wait within a handler,
     * nor longer than until the calling thread is interrupted, which it stays. Handlers that run for longer than
     * {@linkplain KeyedTimersBuilder#closeLimit the limit} are interrupted, and a second later are left alone, which is
     * logged. Afterwards no handler is called.
     */
    @Override
    public void close() {
        handlers.close();
        for (KeyedEntry<K, V> entry : entries.values()) {
            KeyedEntry<K, V> ignored = takeFound(entry, tally.closed);
        }
        try {
            // An entry that is there now is over, or about to be closed by the caller that has set it.
            entries.clear();
        } catch (OutOfMemoryError ex) {
            // All are already removed; the map has failed to count that, and its size is never read.
        }
        handlers.awaitQuiet(name, closeLimitNanos);
    }

    /** Returns how many entries have ended in which way so far. */
    public KeyedTimerCounts counts() {
        return tally.read(handlers.failures());
    }

    /** Returns how often a pending key has been given another time by {@link #move}. */
    public long moves() {
        return watched.moves();
    }

    /**
     * Measures how late handlers are called from now on, for {@link #lateness}. That reads the clock for each entry.
     */
    public void measureLateness() {
        watched.measureLateness();
    }

    /**
     * Returns by how much handlers have been called after the deadlines of their entries, all of them together, since
     * that is {@linkplain #measureLateness measured}.
     */
    public Duration lateness() {
        return watched.lateness();
    }

    /** Lets calls of the handler be observed from now on; null for not at all. */
    public void setCallObserver(@Nullable CallObserver observer) {
        this.observer = observer;
    }

    // For the rest of this package

    /** Drops a pending entry whose key has changed, so that the map does not find it. Worker. */
    void dropIfChanged(KeyedEntry<K, V> entry) {
        // Its caller may be about to place it, under the lock of the bin, if its time came as soon as it was armed.
        if (entries.get(entry.key) == entry || awaitBin(entry.key) == entry || !entry.isKeyChanged()) {
            return;
        }
        drop(entry);
    }

    /** Drops a pending entry whose key has changed, or fails. Worker. */
    void drop(KeyedEntry<K, V> entry) {
        if (handlers.isClosed()) {
            boolean ignored = end(entry, tally.closed);
        } else if (end(entry, tally.dropped)) {
            dropLog.log(null);
        }
    }

    /** Ends a pending entry and counts that; false if it has ended before. */
    boolean end(KeyedEntry<K, V> entry, StripedCount outcome) {
        if (!entry.end()) {
            return false;
        }
        outcome.increment();
        limit.giveBack();
        try {
            if (!entries.remove(entry.key, entry) && entry.isKeyChanged()) {
                removeChanged(entry);
            }
        } catch (Throwable ex) {
            // Without memory, the map fails to count that, and it is never asked for its size. If the key fails, the
            // entry stays there, over, until all is closed.
        }
        return true;
    }

    /** Takes an entry out of the map that is not found by its key, as that has changed. */
    private void removeChanged(KeyedEntry<K, V> entry) {
        // The last one first: removal of others meanwhile only moves it forward, to a place still to be looked at.
        // Twice, as a map that grows may turn their order around.
        for (int looks = 2 * MOST_LOOKS - 1; looks >= 0; looks--) {
            for (int i = 0; i < KeyedEntry.HASHES; i++) {
                if (entries.remove(new ChangedKey(entry.hashOfKey(i), looks % MOST_LOOKS), entry)) {
                    return;
                }
            }
        }
    }

    /**
     * Takes a key out, and returns its entry; null if it is not pending any more.
     *
     * @param seen the entry that has been found: the key may have changed since it was set
     */
    private @Nullable KeyedEntry<K, V> take(K key, @Nullable KeyedEntry<K, V> seen, StripedCount outcome) {
        StackReserve.askForMore();
        KeyedEntry<K, V> entry = seen;
        while (entry != null && !end(entry, outcome)) {
            entry = live(key);
        }
        if (entry != null) {
            entry.cancelTimer();
        }
        return entry;
    }

    /** The same for an entry of the map. One that is over, and whose key fails, stays there until all is closed. */
    private @Nullable KeyedEntry<K, V> takeFound(KeyedEntry<K, V> entry, StripedCount outcome) {
        try {
            return take(entry.key, entry, outcome);
        } catch (Throwable ex) {
            if (entry.isLive()) {
                throw ex;
            }
            return null;
        }
    }

    /** Returns the entry of a pending key. */
    private @Nullable KeyedEntry<K, V> live(K key) {
        KeyedEntry<K, V> entry = entries.get(Objects.requireNonNull(key, "key must not be null"));
        while (entry != null && !entry.isLive()) {
            KeyedEntry<K, V> placed = awaitBin(key);
            if (placed == entry) {
                // It has not been replaced, as another would be in its place by now.
                return null;
            }
            entry = placed;
        }
        return entry;
    }

    /** Waits until no caller places an entry in the key's bin, and returns the entry that is there. */
    private @Nullable KeyedEntry<K, V> awaitBin(K key) {
        return entries.computeIfPresent(key, sameEntry);
    }

    private static <K, V> KeyedEntry<K, V> sameEntry(K key, KeyedEntry<K, V> entry) {
        return entry;
    }

    /** Sets a key, or moves it. */
    private Placement<K, V> place(K key, Placement<K, V> placement) {
        try {
            if (!isStarted) {
                start();
            }
            KeyedEntry<K, V> ignored = entries.compute(key, placement);
        } catch (RejectedExecutionException ex) {
            tally.rejected.increment();
            throw ex;
        } catch (Throwable ex) {
            // The map may run out of memory after it has put the entry in, when it counts that.
            KeyedEntry<K, V> fresh = placement.placed;
            if (fresh == null) {
                throw ex;
            }
            if (entries.get(key) != fresh && fresh.withdraw()) {
                limit.giveBack();
                throw ex;
            }
        }
        finish(placement);
        return placement;
    }

    /** The observer is called here, as no user code may run under the lock of a bin. */
    private Placement<K, V> placement(K key, V value, long delayNanos, boolean mayReplace) {
        StackReserve.askForMore();
        Objects.requireNonNull(key, "key must not be null");
        CallObserver current = observer;
        Object kept = current == null ? null : current.setting(delayNanos);
        return kept == null
                ? new Placement<>(this, value, delayNanos, mayReplace)
                : new LinkedPlacement<>(this, value, delayNanos, mayReplace, kept);
    }

    /**
     * Lets the executor ask its thread factory for the tick thread now, as no factory may be called under the lock of a
     * bin.
     */
    private void start() {
        boolean ignored = timers.schedule(new Nothing(name), FAR_NANOS).cancel(false);
        isStarted = true;
    }

    private void finish(Placement<K, V> placement) {
        KeyedEntry<K, V> replaced = placement.replaced;
        KeyedEntry<K, V> placed = placement.placed;
        if (replaced != null) {
            replaced.cancelTimer();
        }
        if (placement.isNew()) {
            // In this order: no more are seen pending than there are places for.
            if (replaced != null) {
                tally.replaced.increment();
            }
            tally.set.increment();
        }
        if (placed != null && handlers.isClosed() && end(placed, tally.closed)) {
            // The close may have looked before the entry was there.
            placed.cancelTimer();
        }
    }

    private static <V> V requireValue(V value) {
        return Objects.requireNonNull(value, "value must not be null");
    }

    private static long nanosOf(Duration delay) {
        return TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(delay, "delay must not be null"));
    }

    /** Without keys and values, which may be secrets. */
    @Override
    public String toString() {
        return "KeyedTimers[" + name + (handlers.isClosed() ? ", closed" : "") + ", pending = " + size() + "]";
    }

    /** A managed task, so that no decorator is applied to it, nor is a rejection handler called. */
    private record Nothing(String taskName) implements Runnable, ManagedTask {

        @Override
        public void run() {}

        @Override
        public boolean isSteered() {
            return true;
        }
    }
}
