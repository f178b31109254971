package io.github.wheelscheduler;

import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled task, and the future of its result.
 *
 * <p>All methods may be called from any thread, the task itself included. {@link #cancel} is a single compare-and-set:
 * it wins or loses against the start, the end and the re-arming of a run, and releases the task at once. With
 * {@code cancel(true)} the interrupt reaches the active run and no other.
 *
 * @param <V> the type of the result
 */
public interface WheelTimer<V extends @Nullable Object> extends RunnableScheduledFuture<V> {

    /**
     * Moves the next run to {@code delay} from now, earlier or later. For a repeating timer the runs after it follow
     * from there.
     *
     * @param delay from now; zero or negative means at once
     * @return true if the next run will be at the new time, and only then; false if the timer is due already, is
     *     running, or is over, and nothing has changed. Timers that follow a calendar cannot be moved.
     */
    boolean reschedule(long delay, TimeUnit unit);

    /** Whether a run is usually followed by another: fixed rate, fixed delay, or a series that follows a calendar. */
    boolean isRepeating();
}
