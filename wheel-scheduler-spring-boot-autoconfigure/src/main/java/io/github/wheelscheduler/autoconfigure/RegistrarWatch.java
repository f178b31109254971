package io.github.wheelscheduler.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** Keeps the registrar of {@code @Scheduled} methods and the scheduler that it had before other configurers. */
final class RegistrarWatch implements SchedulingConfigurer, Ordered {

    private @Nullable ScheduledTaskRegistrar registrar;
    private @Nullable TaskScheduler before;

    RegistrarWatch() {}

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void configureTasks(ScheduledTaskRegistrar taskRegistrar) {
        registrar = taskRegistrar;
        before = taskRegistrar.getScheduler();
    }

    /** Returns the scheduler before configurers; null if there was none. */
    @Nullable
    TaskScheduler before() {
        return before;
    }

    /** Returns the scheduler by now; null if there is none. */
    @Nullable
    TaskScheduler now() {
        return registrar == null ? null : registrar.getScheduler();
    }

    /** Returns whether a configurer has set another one. */
    @SuppressWarnings("ReferenceEquality") // this very one
    boolean isChanged() {
        return now() != before;
    }
}
