package io.github.wheelscheduler.autoconfigure.steering;

import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets wheel schedulers tell the listeners of the application of steering; those are looked for when something is
 * steered.
 */
final class SteeredSchedulers implements BeanPostProcessor {

    private final ObjectProvider<SteeringListener> listeners;

    SteeredSchedulers(ObjectProvider<SteeringListener> listeners) {
        this.listeners = listeners;
    }

    @Override
    public @Nullable Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler)) {
            scheduler
                    .getTaskRegistry()
                    .addSteeringListener(steering -> NamedSteering.tellAll(
                            () -> listeners.orderedStream().toList(), () -> steering.in(scheduler.getBeanName())));
        }
        return bean;
    }
}
