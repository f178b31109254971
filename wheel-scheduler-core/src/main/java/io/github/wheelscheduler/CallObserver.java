package io.github.wheelscheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Observes the calls of the application's code that keyed timers, idle timeouts and leases make. Any thread. Its
 * methods should be quick, and throw nothing.
 */
public interface CallObserver {

    /**
     * Called as a timer is set, on the thread that sets it.
     *
     * @param delayNanos the time until it is due; {@code Long.MAX_VALUE} if that may change without a call
     * @return the object that {@link #begin} needs of the caller; null for nothing, which the timer has no room for
     */
    @Nullable
    Object setting(long delayNanos);

    /** Returns what is kept in place of the result of {@link #setting} when a timer is given another time. */
    Object moved(Object kept);

    /**
     * Called before a call, on its thread.
     *
     * @param kept the results of {@link #setting} for the timers that the call is for, without null
     * @return called after it; null if the call is not observed
     */
    @Nullable
    Call begin(List<?> kept);

    /** A call in progress. */
    @FunctionalInterface
    interface Call {

        /**
         * Called after a call, on the same thread.
         *
         * @param failure thrown by it; null for none
         */
        void end(@Nullable Throwable failure);
    }
}
