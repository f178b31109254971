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

    private final LongSupplier nanoTime;
    private final LongSupplier epochNanos;
    private final List<OneTimeRunListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean hasFailed = new AtomicBoolean();

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
            long nanos = nanoTime() - startNanos;
            RunOutcome outcome = RunOutcome.of(
                    epochNanos.getAsLong() - nanos,
                    nanos,
                    0,
                    false,
                    thrown == null ? null : RunOutcome.Failure.of(thrown, trace));
            String name = NamedTask.of(task);
            for (OneTimeRunListener listener : listeners) {
                tell(listener, name, task instanceof NamedTask, outcome, thrown);
            }
        } catch (Throwable ex) {
            warn(ex);
        }
    }

    private void tell(
            OneTimeRunListener listener, String name, boolean isNamed, RunOutcome outcome, @Nullable Throwable thrown) {
        try {
            listener.ran(name, isNamed, outcome, thrown);
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
