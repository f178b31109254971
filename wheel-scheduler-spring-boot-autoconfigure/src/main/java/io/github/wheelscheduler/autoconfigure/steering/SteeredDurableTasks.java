package io.github.wheelscheduler.autoconfigure.steering;

import io.github.wheelscheduler.autoconfigure.internal.EachDurableEngine;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets nodes of durable tasks tell the listeners of the application of steering; those are looked for when something is
 * steered.
 */
final class SteeredDurableTasks extends EachDurableEngine {

    private final ObjectProvider<SteeringListener> listeners;

    SteeredDurableTasks(ConfigurableListableBeanFactory beanFactory, ObjectProvider<SteeringListener> listeners) {
        super(beanFactory);
        this.listeners = listeners;
    }

    @Override
    protected void come(DurableEngine engine, String beanName) {
        engine.addSteeringListener(steering ->
                NamedSteering.tellAll(() -> listeners.orderedStream().toList(), () -> steering));
    }
}
