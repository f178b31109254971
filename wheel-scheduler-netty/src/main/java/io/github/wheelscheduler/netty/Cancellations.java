package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.FailureLog;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Tells tasks that they have been cancelled: on a worker, and not on the thread that cancels, which may hold locks of its own. Any thread.
 */
final class Cancellations implements Runnable, ManagedTask {

    private static final ClassValue<Boolean> LISTENS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("cancelled", Timeout.class).getDeclaringClass() != TimerTask.class;
            } catch (NoSuchMethodException ex) {
                // There is one; who cannot look at it calls it.
                return true;
            }
        }
    };

    private final String name;
    private final WheelScheduledExecutor workers;
    private final Runs runs;
    private final FailureLog failures;
    private final Queue<WheelTimeout> untold = new ConcurrentLinkedQueue<>();

    Cancellations(String name, WheelScheduledExecutor workers, Runs runs, FailureLog failures) {
        this.name = name;
        this.workers = workers;
        this.runs = runs;
        this.failures = failures;
    }

    /** Tells the task of a timeout that has just been cancelled, unless it does not listen. Throws nothing. */
    void tell(WheelTimeout timeout) {
        boolean isNoted = false;
        try {
            if (LISTENS.get(timeout.task().getClass())) {
                isNoted = untold.add(timeout);
                workers.execute(this);
                if (runs.isClosed()) {
                    // Who has stopped the timer may have told the others before this one was noted.
                    boolean ignored = tellNext();
                }
            }
        } catch (Throwable ex) {
            // The executor has been shut down, or is full, or there is no memory for a message: then here.
            if (isNoted) {
                boolean ignored = tellNext();
            } else {
                call(timeout);
            }
        }
    }

    /** Tells the next one: each is executed once for it. Worker. */
    @Override
    public void run() {
        // After a stop, whoever has stopped the timer does it.
        if (enter()) {
            try {
                boolean ignored = tellNext();
            } finally {
                runs.leave();
            }
        }
    }

    /** Nobody else comes for the one that this run is for: it insists. */
    private boolean enter() {
        while (true) {
            try {
                return runs.enter();
            } catch (OutOfMemoryError ex) {
                WheelTimeout.pauseWithoutMemory();
            }
        }
    }

    /** Tells those that are left after a stop. */
    void tellAll() {
        boolean mayBeMore = true;
        while (mayBeMore) {
            mayBeMore = tellNext();
        }
    }

    private boolean tellNext() {
        WheelTimeout timeout = untold.poll();
        if (timeout == null) {
            return false;
        }
        call(timeout);
        return true;
    }

    private void call(WheelTimeout timeout) {
        try {
            timeout.task().cancelled(timeout);
        } catch (Throwable ex) {
            failures.log(ex);
        }
    }

    /** The rejection handler has no say: who cancels tells the task then. */
    @Override
    public boolean isSteered() {
        return true;
    }

    @Override
    public String taskName() {
        return name;
    }
}
