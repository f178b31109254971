package io.github.wheelscheduler.internal.meter;

import io.micrometer.core.instrument.Meter;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the groups that have a meter, as a registry returns the same meter to each group that registers its name and
 * tags. Keeps no meter from being collected. Calls nothing of a registry, and compares meters by identity. Any
 * thread.
 */
final class MeterOwners {

    private final ReferenceQueue<Meter> collected = new ReferenceQueue<>();

    /** Guarded by this. */
    private final Map<MeterIdentity, Integer> counts = new HashMap<>();

    /** Counts one more. */
    synchronized void add(Meter meter) {
        forgetCollected();
        Integer ignored = counts.merge(new MeterIdentity(meter, collected), 1, Integer::sum);
    }

    /** Counts the first one; false, and nothing has changed, if there is one. */
    synchronized boolean addFirst(Meter meter) {
        forgetCollected();
        return counts.putIfAbsent(new MeterIdentity(meter, collected), 1) == null;
    }

    /** Counts one less; returns whether it was the last one. */
    synchronized boolean remove(Meter meter) {
        MeterIdentity identity = new MeterIdentity(meter, collected);
        Integer count = counts.get(identity);
        if (count == null || count == 1) {
            Integer ignored = counts.remove(identity);
            return true;
        }
        // Without memory for another entry, none is lost.
        Integer ignored = counts.replace(identity, count - 1);
        return false;
    }

    private void forgetCollected() {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            Integer ignored = counts.remove(gone);
        }
    }

    /** A meter, by its identity. */
    private static final class MeterIdentity extends WeakReference<Meter> {

        private final int hash;

        MeterIdentity(Meter meter, ReferenceQueue<Meter> collected) {
            super(meter, collected);
            this.hash = System.identityHashCode(meter);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Meter meter = get();
            return meter != null && other instanceof MeterIdentity identity && identity.get() == meter;
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
