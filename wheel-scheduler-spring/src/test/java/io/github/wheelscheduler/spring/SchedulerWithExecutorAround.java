package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.testing.ExecutorAround;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A scheduler of a user's that puts an executor around its own, as it is done for tracing. */
@SuppressWarnings("serial")
public final class SchedulerWithExecutorAround extends WheelTaskScheduler {

    private final boolean hasOwnFutures;
    private @Nullable ScheduledExecutorService inside;
    private @Nullable ExecutorAround around;

    /**
     * Makes one.
     *
     * @param hasOwnFutures whether what the executor returns is of a type of its own
     */
    public SchedulerWithExecutorAround(boolean hasOwnFutures) {
        this.hasOwnFutures = hasOwnFutures;
    }

    @Override
    public synchronized ExecutorAround getScheduledExecutor() {
        ScheduledExecutorService current = super.getScheduledExecutor();
        ExecutorAround made = around;
        if (made == null || current != inside) {
            inside = current;
            made = new ExecutorAround(current, hasOwnFutures);
            around = made;
        }
        return made;
    }
}
