package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Renews leases that are due: each at once where batches hold one, else together with what is due within a moment. Workers. */
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
            collectSoon(WINDOW_NANOS);
        }
    }

    private void collectSoon(long nanos) {
        if (!collecting.compareAndSet(false, true)) {
            return;
        }
        try {
            WheelTimer<?> ignored = renewer.renewals.schedule(this::collect, nanos, TimeUnit.NANOSECONDS);
        } catch (Throwable ex) {
            collecting.set(false);
            throw ex;
        }
    }

    private void collect() {
        // First: a lease that is added from now on is collected again.
        collecting.set(false);
        List<Lease<K>> batch = new ArrayList<>();
        for (Lease<K> lease = due.poll(); lease != null; lease = batch.size() < maxBatch ? due.poll() : null) {
            if (lease.beginRenewal()) {
                batch.add(lease);
            }
        }
        if (!due.isEmpty()) {
            // On another worker, beside this one.
            collectSoon(0);
        }
        if (!batch.isEmpty()) {
            renew(batch);
        }
    }

    private void renew(List<Lease<K>> batch) {
        Map<K, Outcome> outcomes = Map.of();
        try {
            // A copy: the user's map may fail, or change.
            outcomes =
                    new HashMap<>(renewal.renew(batch.stream().map(Lease::key).toList()));
        } catch (Throwable ex) {
            renewer.attemptFailed(ex);
        }
        for (Lease<K> each : batch) {
            each.endRenewal(outcomes.get(each.key()));
        }
    }
}
