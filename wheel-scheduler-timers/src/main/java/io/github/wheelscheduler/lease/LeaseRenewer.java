package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.timers.ObservedCall;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps leases alive: renews each at a third of its length, and reports a loss before the lease ends if that has not
 * succeeded.
 *
 * <pre>{@code
 * LeaseRenewer<String> renewer = LeaseRenewer.<String>builder(executor,
 *         key -> store.extend(key, TEN_SECONDS) ? RENEWED : GONE).build();
 * LeaseStart start = renewer.start();
 * if (store.acquire("import", TEN_SECONDS)) {
 *     Lease<String> lease = renewer.keep("import", TEN_SECONDS, start, (key, reason) -> stopImport());
 *     ...
 *     lease.close();
 *     store.release("import");
 * }
 * }</pre>
 *
 * <p>A lease lasts for its length, minus a margin, from the start of the last successful renewal or of the acquisition.
 * It is measured by the monotonic clock, and by the wall clock if the former stops, as while a machine sleeps. A
 * renewal that fails is retried within that time, with growing pauses. Each loss is reported once.
 *
 * <p>Renewals and losses have workers of their own, two {@linkplain WheelScheduledExecutor#newGroup groups} which
 * neither pause nor halt of the executor hold up. They continue while it is shut down, until the last lease is closed;
 * {@link WheelScheduledExecutor#shutdownNow} first reports the kept leases as lost. All methods may be called from any
 * thread, renewals and listeners included.
 *
 * @param <K> the type of the keys
 */
public final class LeaseRenewer<K> implements AutoCloseable {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final long LOOK_SECONDS = 1;

    final WheelScheduledExecutor executor;
    final long closeLimitNanos;

    /** A worker that renews a lease renews no other meanwhile. */
    final boolean isSingle;

    final WheelScheduledExecutor renewals;
    final WheelScheduledExecutor losses;
    final Renewing<K> renewing;
    final ConcurrentHashMap<KeptKey<K>, Lease<K>> leases = new ConcurrentHashMap<>();
    final AtomicLong renewed = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicLong closed = new AtomicLong();
    private final String name;
    private final LongUnaryOperator marginNanos;
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong listenerFailures = new AtomicLong();

    private volatile @Nullable CallObserver renewalObserver;
    private volatile @Nullable CallObserver lossObserver;

    private final Object lock = new Object();

    /** Compares the clocks while there are leases. Guarded by the lock. */
    private @Nullable WheelTimer<?> look;

    /** Set before the leases are looked at; a thread that keeps one reads it afterwards. */
    private volatile boolean isClosed;

    /** The executor is being stopped, and drops timers. As above. */
    private volatile boolean isStopping;

    LeaseRenewer(LeaseRenewerBuilder<K> settings) {
        this.name = settings.name;
        this.executor = settings.executor;
        this.closeLimitNanos = settings.closeLimitNanos;
        this.marginNanos = settings.marginNanos;
        this.isSingle = settings.maxBatch == 1;
        this.renewals = groupOf(executor, name, settings.maxConcurrent);
        this.losses = groupBeside(renewals);
        this.renewing = new Renewing<>(this, settings.renewal, settings.maxBatch);
        renewals.setStopListener(this::stopping);
    }

    private static WheelScheduledExecutor groupOf(WheelScheduledExecutor executor, String name, int maxWorkers) {
        return executor.newGroup(name)
                .maxWorkers(maxWorkers)
                .onFull(OnFull.WAIT)
                .rejectionHandler((timer, reason) -> {
                    throw reason;
                })
                .standsApart(true)
                .startTolerance(Duration.ZERO)
                .build();
    }

    /** If that fails, the name of the other group is free again. */
    private WheelScheduledExecutor groupBeside(WheelScheduledExecutor other) {
        try {
            return groupOf(executor, name + "-lost", Integer.MAX_VALUE);
        } catch (Throwable ex) {
            other.shutdown();
            throw ex;
        }
    }

    /**
     * Returns a builder of a renewer that renews each lease in a call of its own.
     *
     * @param executor on whose wheel the renewals are; no group
     */
    public static <K> LeaseRenewerBuilder<K> builder(WheelScheduledExecutor executor, Renewal<? super K> renewal) {
        Objects.requireNonNull(renewal, "renewal must not be null");
        return new LeaseRenewerBuilder<>(executor, 1, keys -> Map.of(keys.get(0), renewal.renew(keys.get(0))));
    }

    /**
     * Returns a builder of a renewer that renews leases that are due together in one call.
     *
     * @param executor on whose wheel the renewals are; no group
     * @param maxBatch the maximum number of leases that a call renews
     * @throws IllegalArgumentException if that is less than 1
     */
    public static <K> LeaseRenewerBuilder<K> batchBuilder(
            WheelScheduledExecutor executor, int maxBatch, BatchRenewal<K> renewal) {
        Objects.requireNonNull(renewal, "renewal must not be null");
        if (maxBatch < 1) {
            throw new IllegalArgumentException("maxBatch must be at least 1, was " + maxBatch);
        }
        return new LeaseRenewerBuilder<>(executor, maxBatch, renewal);
    }

    /** Returns the current time, to be read before the lease is acquired from the store. */
    public LeaseStart start() {
        return LeaseStart.now(executor);
    }

    /**
     * Keeps a lease that the store has granted.
     *
     * @param length the time that it lasts unless it is renewed, at least 10 ms
     * @param start when the acquisition began
     * @param onLost called if it is lost; if it is already over, at once, on a worker
     * @throws IllegalArgumentException if the length does not fit, or if the key is kept already
     * @throws RejectedExecutionException if this has been closed, or the executor has been shut down
     */
    public Lease<K> keep(K key, Duration length, LeaseStart start, LossListener<? super K> onLost) {
        StackReserve.askForMore();
        Objects.requireNonNull(key, "key must not be null");
        Objects.requireNonNull(start, "start must not be null");
        Objects.requireNonNull(onLost, "onLost must not be null");
        Objects.requireNonNull(length, "length must not be null");
        if (length.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("length must be at least " + SHORTEST + ", was " + length);
        }
        long nanos = TimeUnit.NANOSECONDS.convert(length);
        long margin = marginNanos.applyAsLong(nanos);
        if (margin >= nanos) {
            throw new IllegalArgumentException("length must be longer than the margin for its renewal, which is "
                    + Duration.ofNanos(margin) + ", was " + length);
        }
        KeptKey<K> kept = new KeptKey<>(key);
        Lease<K> lease = new Lease<>(this, kept, nanos, margin, start, linked(onLost));
        if (isClosed) {
            throw closed();
        }
        if (executor.isShutdown()) {
            // A group that still has leases would take it.
            throw shutDown();
        }
        if (leases.putIfAbsent(kept, lease) != null) {
            throw new IllegalArgumentException("key must not have a lease already");
        }
        try {
            startLooking();
            lease.begin();
        } catch (Throwable ex) {
            boolean ignored = lease.end(Lease.State.CLOSED);
            throw ex;
        }
        // A close that came meanwhile may not have seen the lease.
        if (isClosed && lease.end(Lease.State.CLOSED)) {
            throw closed();
        }
        // Nor may a stop.
        if (isStopping && lease.end(Lease.State.CLOSED)) {
            throw shutDown();
        }
        return lease;
    }

    private LossListener<? super K> linked(LossListener<? super K> onLost) {
        CallObserver current = lossObserver;
        Object kept = current == null ? null : current.setting(Long.MAX_VALUE);
        return kept == null ? onLost : new LinkedListener<K>(List.of(kept), onLost);
    }

    private RejectedExecutionException closed() {
        return new RejectedExecutionException("Lease rejected, because " + name + " has been closed");
    }

    private RejectedExecutionException shutDown() {
        return new RejectedExecutionException(
                "Lease rejected, because the executor of " + name + " has been shut down");
    }

    /**
     * Lets the clocks be compared, unless they are. Once there is a lease, and not under the lock: it may ask a factory
     * for a thread.
     */
    private void startLooking() {
        if (isLooking()) {
            return;
        }
        WheelTimer<?> started = losses.scheduleAtFixedRate(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        synchronized (lock) {
            if (look == null) {
                look = started;
                return;
            }
        }
        boolean ignored = started.cancel(false);
    }

    private boolean isLooking() {
        synchronized (lock) {
            return look != null;
        }
    }

    /** Returns the lease of the key, if it is kept; else null. */
    public @Nullable Lease<K> find(K key) {
        return leases.get(new KeptKey<>(Objects.requireNonNull(key, "key must not be null")));
    }

    public LeaseCounts counts() {
        return new LeaseCounts(
                leases.size(), renewed.get(), failed.get(), lost.get(), closed.get(), listenerFailures.get());
    }

    /**
     * Closes all leases that are kept, and keeps no more. All are notified first, and awaited together: for as long as
     * {@link Lease#close()} waits for one.
     */
    @Override
    public void close() {
        StackReserve.askForMore();
        isClosed = true;
        List<Lease<K>> stopped = leases.values().stream().filter(Lease::stop).toList();
        awaitRenewals(stopped);
        stopped.forEach(Lease::interruptRenewal);
        awaitRenewals(stopped);
        renewals.setStopListener(null);
        renewals.shutdown();
        losses.shutdown();
    }

    private void awaitRenewals(List<Lease<K>> stopped) {
        long left = closeLimitNanos;
        for (Lease<K> lease : stopped) {
            left = lease.awaitRenewal(left);
        }
    }

    /**
     * Lets calls of the application's code be observed from now on; null for not at all. Renewals repeat, so no caller
     * is kept for them.
     */
    public void setCallObservers(@Nullable CallObserver renewals, @Nullable CallObserver losses) {
        this.renewalObserver = renewals;
        this.lossObserver = losses;
    }

    // For leases

    /** A renewal begins; null if it is not observed. */
    CallObserver.@Nullable Call renewing() {
        CallObserver current = renewalObserver;
        return current == null ? null : ObservedCall.begin(current, List.of());
    }

    void attemptFailed(Throwable failure) {
        try {
            EngineLog.log(Level.DEBUG, "A renewal of " + name + " failed; it is retried", null, failure);
        } catch (Throwable ex) {
            // There is no memory, or the log is broken.
        }
    }

    /** On the thread that has found it lost. */
    void lost(Lease<K> lease, LossListener<? super K> listener, LossListener.Reason reason) {
        lost.incrementAndGet();
        CallObserver observer = lossObserver;
        CallObserver.Call call = observer == null ? null : ObservedCall.begin(observer, kept(listener));
        Throwable failure = null;
        try {
            listener.lost(lease.key(), reason);
        } catch (Throwable ex) {
            failure = ex;
            listenerFailures.incrementAndGet();
            EngineLog.log(
                    Level.ERROR,
                    "A loss listener of " + name + " failed; other leases are unaffected. Fix the listener",
                    null,
                    ex);
        } finally {
            ObservedCall.end(call, failure);
        }
    }

    private static List<?> kept(LossListener<?> listener) {
        return listener instanceof LinkedListener<?> linked ? linked.kept() : List.of();
    }

    /**
     * Looks at all leases, as a machine that has slept has not waited for its timers meanwhile; and at none once there
     * is none. An exception would end the looks.
     */
    private void look() {
        try {
            leases.values().forEach(LeaseRenewer::look);
            stopLooking();
        } catch (Throwable ex) {
            // There is no memory.
        }
    }

    private void stopLooking() {
        synchronized (lock) {
            WheelTimer<?> current = look;
            if (leases.isEmpty() && current != null) {
                look = null;
                boolean ignored = current.cancel(false);
            }
        }
    }

    /** Looks at one of them. A failure does not affect other leases, and is retried the next time. */
    private static void look(Lease<?> lease) {
        try {
            lease.goOn();
        } catch (Throwable ex) {
            // The executor is at its limit, or there is no memory.
        }
    }

    /** The executor is about to be stopped. */
    private void stopping() {
        isStopping = true;
        leases.values().forEach(lease -> lease.lose(LossListener.Reason.STOPPED));
    }

    /** Shows no key, which may be a secret. */
    @Override
    public String toString() {
        return "LeaseRenewer[" + name + ", kept = " + leases.size() + "]";
    }
}
