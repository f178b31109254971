package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.UserCalls;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Tells tasks that they have been cancelled: on a worker, and not on the thread that cancels, which may hold locks of
 * its own. Any thread.
 */
final class Cancellations implements Runnable, ManagedTask {

    private static final ClassValue<Boolean> LISTENS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("cancelled", Timeout.class).getDeclaringClass() != TimerTask.class;
            } catch (NoSuchMethodException ex) {
                // There is one; it is called where it cannot be looked at.
                return true;
            }
        }
    };

    private final String name;
    private final WheelScheduledExecutor workers;
    private final UserCalls calls;
    private final Queue<WheelTimeout> untold = new ConcurrentLinkedQueue<>();

    /**
     * The executor or the timer is being stopped, so runs may be dropped. Writer: the thread that stops it, before it
     * tells those in the queue. Readers: threads that cancel, after they have added to the queue.
     */
    private volatile boolean isStopping;

    Cancellations(String name, WheelScheduledExecutor workers, UserCalls calls) {
        this.name = name;
        this.workers = workers;
        this.calls = calls;
    }

    /** Tells the task of a timeout that has just been cancelled, unless it does not listen. Throws nothing. */
    void tell(WheelTimeout timeout) {
        boolean isNoted = false;
        try {
            if (LISTENS.get(timeout.task().getClass())) {
                isNoted = untold.add(timeout);
                workers.execute(this);
                if (isStopping) {
                    // A stop may have notified the others before this one was recorded.
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
        // After a stop, the thread that stops the timer does it.
        if (enter()) {
            try {
                boolean ignored = tellNext();
            } finally {
                calls.leave();
            }
        }
    }

    /** Insists, as no other run comes for the timeout of this one. */
    private boolean enter() {
        while (true) {
            try {
                return calls.enter();
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    /**
     * Tells the tasks that are left, as the executor is about to drop runs. A stop of the timer does it once its tasks
     * have ended. The thread that stops either. Throws nothing.
     */
    void stopping() {
        isStopping = true;
        if (!calls.isClosed()) {
            tellAll();
        }
    }

    /** Tells the tasks that are left after a stop. */
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
            calls.failed(ex);
        }
    }

    /** The rejection handler is not used: the cancelling thread notifies the task then. */
    @Override
    public boolean isSteered() {
        return true;
    }

    @Override
    public String taskName() {
        return name;
    }
}
