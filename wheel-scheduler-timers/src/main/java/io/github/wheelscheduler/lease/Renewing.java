package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
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
        try {
            boolean ignored = due.add(lease);
        } catch (OutOfMemoryError ex) {
            lease.unclaimRenewal();
            throw ex;
        }
        if (maxBatch == 1 || !isCollectorComing(WINDOW_NANOS)) {
            collect();
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
            // On another worker, beside this one, if possible; each single lease has one.
            goesOn = maxBatch > 1 && !due.isEmpty() && !isCollectorComing(0);
            renew(batch);
        }
    }

    /** Begins renewals that are due. There is a place for each before it begins. */
    private List<Lease<K>> nextBatch() {
        List<Lease<K>> batch = newBatch();
        for (Lease<K> lease = due.poll(); lease != null; lease = batch.size() < maxBatch ? due.poll() : null) {
            try {
                boolean ignored = batch.add(lease);
            } catch (OutOfMemoryError ex) {
                // The lease is looked at again.
                lease.unclaimRenewal();
                return batch;
            }
            if (!begins(lease)) {
                Lease<K> ignored = batch.remove(batch.size() - 1);
            }
        }
        return batch;
    }

    /** A failure does not affect others of the batch. */
    private static boolean begins(Lease<?> lease) {
        try {
            return lease.beginRenewal();
        } catch (Throwable ex) {
            // There is no memory; the lease is looked at again.
            lease.unclaimRenewal();
            return false;
        }
    }

    /** Waits for memory: what is due would wait for the next lease that is. */
    private static <L> List<L> newBatch() {
        while (true) {
            try {
                return new ArrayList<>();
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    private void renew(List<Lease<K>> batch) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            if (!goesOn(batch.get(i))) {
                Lease<K> ignored = batch.remove(i);
            }
        }
        if (!batch.isEmpty()) {
            askFor(batch);
        }
    }

    private void askFor(List<Lease<K>> batch) {
        Map<K, Outcome> outcomes = Map.of();
        try {
            outcomes = answers(batch);
        } finally {
            for (int i = 0; i < batch.size(); i++) {
                end(batch.get(i), outcomes);
            }
        }
    }

    private Map<K, Outcome> answers(List<Lease<K>> batch) {
        CallObserver.Call call = renewer.renewing();
        Throwable failure = null;
        try {
            // A copy: the user's map may fail, or change.
            return new HashMap<>(renewal.renew(batch.stream().map(Lease::key).toList()));
        } catch (Throwable ex) {
            failure = ex;
            renewer.attemptFailed(ex);
            return Map.of();
        } finally {
            ObservedCall.end(call, failure);
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
