package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import io.github.wheelscheduler.timers.ObservedCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases that are due: each at once if batches hold one, otherwise together with those due within a moment.
 * Workers.
 */
final class Renewing<K> {

    /** Renewals are due long before a lease ends. */
    private static final long WINDOW_NANOS = 2_000_000;

    private final LeaseRenewer<K> renewer;
    private final BatchRenewal<K> renewal;
    private final int maxBatch;
    private final Queue<Lease<K>> due = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean collecting = new AtomicBoolean();

    Renewing(LeaseRenewer<K> renewer, BatchRenewal<K> renewal, int maxBatch) {
        this.renewer = renewer;
        this.renewal = renewal;
        this.maxBatch = maxBatch;
    }

    /** The lease is due. */
    void due(Lease<K> lease) {
        if (maxBatch == 1) {
            List<Lease<K>> batch = List.of(lease);
            if (lease.beginRenewal()) {
                renew(batch);
            }
        } else {
            boolean ignored = due.add(lease);
            if (!isCollectorComing(WINDOW_NANOS)) {
                collect();
            }
        }
    }

    /** Ensures that due leases are collected; false if the caller has to. */
    private boolean isCollectorComing(long nanos) {
        if (!collecting.compareAndSet(false, true)) {
            return true;
        }
        try {
            WheelTimer<?> ignored = renewer.renewals.schedule(this::collect, nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (Throwable ex) {
            // The executor is at its limit, or there is no memory.
            collecting.set(false);
            return false;
        }
    }

    private void collect() {
        boolean goesOn = true;
        while (goesOn) {
            // First: a lease that is added from now on is collected again.
            collecting.set(false);
            List<Lease<K>> batch = nextBatch();
            // On another worker, beside this one, if possible.
            goesOn = !due.isEmpty() && !isCollectorComing(0);
            if (!batch.isEmpty()) {
                renew(batch);
            }
        }
    }

    private List<Lease<K>> nextBatch() {
        List<Lease<K>> batch = new ArrayList<>();
        for (Lease<K> lease = due.poll(); lease != null; lease = batch.size() < maxBatch ? due.poll() : null) {
            if (lease.beginRenewal()) {
                batch.add(lease);
            }
        }
        return batch;
    }

    private void renew(List<Lease<K>> begun) {
        List<Lease<K>> batch = begun.stream().filter(this::goesOn).toList();
        if (!batch.isEmpty()) {
            askFor(batch);
        }
    }

    private void askFor(List<Lease<K>> batch) {
        Map<K, Outcome> outcomes = Map.of();
        CallObserver.Call call = renewer.renewing();
        Throwable failure = null;
        try {
            // A copy: the user's map may fail, or change.
            outcomes =
                    new HashMap<>(renewal.renew(batch.stream().map(Lease::key).toList()));
        } catch (Throwable ex) {
            failure = ex;
            renewer.attemptFailed(ex);
        } finally {
            ObservedCall.end(call, failure);
        }
        for (int i = 0; i < batch.size(); i++) {
            end(batch.get(i), outcomes);
        }
    }

    /** A failure, such as no memory to report a loss, does not affect others of the batch. */
    private boolean goesOn(Lease<K> lease) {
        try {
            return lease.goesOnWithRenewal();
        } catch (Throwable ex) {
            // The renewal has ended, and the lease is looked at again.
            return false;
        }
    }

    /**
     * Ends a renewal. A failure, such as a rejected follow-up timer when the executor is at its limit, does not affect
     * others of the batch.
     */
    private void end(Lease<K> lease, Map<K, Outcome> outcomes) {
        try {
            lease.endRenewal(outcomeOf(lease, outcomes));
        } catch (Throwable ex) {
            // The lease is looked at again.
        }
    }

    private static <K> @Nullable Outcome outcomeOf(Lease<K> lease, Map<K, Outcome> outcomes) {
        try {
            return outcomes.get(lease.key());
        } catch (Throwable ex) {
            // A key of the user's: it is not known.
            return null;
        }
    }
}
