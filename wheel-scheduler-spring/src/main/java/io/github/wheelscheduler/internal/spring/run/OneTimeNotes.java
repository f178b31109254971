package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Tells listeners of one-time runs that no registry lists. Any thread. */
public final class OneTimeNotes {

    private static final Log logger = LogFactory.getLog(OneTimeRunListener.class);

    /** A run that ends sooner after a reading of the clocks takes its time from that: a change of the clock shows. */
    private static final long READING_NANOS = 1_000_000;

    private final LongSupplier nanoTime;
    private final LongSupplier epochNanos;
    private final List<OneTimeRunListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    /** The last reading of both clocks; null before the first one. Writers: threads that end runs; each is right. */
    private volatile @Nullable Reading reading;

    private record Reading(long nanos, long epochNanos) {}

    /**
     * Makes one without listeners.
     *
     * @param epochNanos the time since the epoch
     */
    public OneTimeNotes(LongSupplier nanoTime, LongSupplier epochNanos) {
        this.nanoTime = nanoTime;
        this.epochNanos = epochNanos;
    }

    public void add(OneTimeRunListener listener) {
        boolean ignored = listeners.add(listener);
    }

    public void remove(OneTimeRunListener listener) {
        boolean ignored = listeners.remove(listener);
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /**
     * A run has ended. Throws nothing.
     *
     * @param trace its trace; null if it is not observed
     */
    void ended(Object task, long startNanos, @Nullable Throwable thrown, @Nullable String trace) {
        try {
            long endNanos = nanoTime();
            long nanos = endNanos - startNanos;
            long startedAt = epochNanos(endNanos) - nanos;
            RunOutcome.Failure failure = thrown == null ? null : RunOutcome.Failure.of(thrown, trace);
            String name = NamedTask.of(task);
            for (OneTimeRunListener listener : listeners) {
                tell(listener, name, task instanceof NamedTask, startedAt, nanos, failure, thrown);
            }
        } catch (Throwable ex) {
            warn(ex);
        }
    }

    /** Returns the time since the epoch of a time that has just been read. */
    private long epochNanos(long nowNanos) {
        Reading known = reading;
        // Also if time stands still or has gone back: then it is not a machine's, and the other clock may have moved.
        if (known == null || nowNanos - known.nanos <= 0 || nowNanos - known.nanos > READING_NANOS) {
            known = new Reading(nowNanos, epochNanos.getAsLong());
            reading = known;
        }
        return known.epochNanos + nowNanos - known.nanos;
    }

    private void tell(
            OneTimeRunListener listener,
            String name,
            boolean isNamed,
            long startedAt,
            long nanos,
            RunOutcome.@Nullable Failure failure,
            @Nullable Throwable thrown) {
        try {
            if (listener instanceof OneTimeEnds ends) {
                ends.ended(name, isNamed, startedAt, nanos, failure, thrown);
            } else {
                listener.ran(name, isNamed, RunOutcome.of(startedAt, nanos, 0, false, failure), thrown);
            }
        } catch (Throwable ex) {
            warn(ex);
        }
    }

    private void warn(Throwable failure) {
        if (hasFailed.compareAndSet(false, true)) {
            ThrownLog.warnInOneLine(
                    logger,
                    "A listener of one-time runs failed; tasks continue, and further failures are not logged",
                    failure);
        }
    }
}
