package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.Objects;

/**
 * The wheel of an application, for programs that set timers of their own. It is neither a
 * {@link org.springframework.scheduling.TaskScheduler TaskScheduler} nor an {@link java.util.concurrent.Executor
 * Executor}, so no auto-configuration backs off because of it, and nothing that is injected by one of those types has
 * one more to choose from:
 *
 * <pre>{@code
 * @Bean
 * KeyedTimers<String, Order> unpaid(TimerWheel wheel) {
 *     return KeyedTimers.<String, Order>builder(wheel.executor(), (id, order) -> order.expire()).build();
 * }
 * }</pre>
 *
 * <p>All methods may be called from any thread.
 */
public class TimerWheel {

    private final WheelTaskScheduler scheduler;

    /** Makes the wheel of that scheduler injectable; it does not close it, which its maker or the context does. */
    public TimerWheel(WheelTaskScheduler scheduler) {
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler must not be null");
    }

    /** Returns the scheduler whose wheel this is. */
    public WheelTaskScheduler scheduler() {
        return scheduler;
    }

    /**
     * Returns the executor on the wheel; {@link WheelScheduledExecutor#unclosable} is for libraries that shut down the
     * executor they were given.
     *
     * @throws IllegalStateException if the scheduler is not initialized
     */
    public WheelScheduledExecutor executor() {
        return scheduler.getWheelScheduledExecutor();
    }
}
