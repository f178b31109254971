package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Lets wheel schedulers observe their runs. */
final class ObservedSchedulers implements BeanPostProcessor {

    private final ObjectProvider<WheelRunObservation> observation;

    ObservedSchedulers(ObjectProvider<WheelRunObservation> observation) {
        this.observation = observation;
    }

    @Override
    public @Nullable Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler)) {
            scheduler.setRunObservation(observation.getObject());
        }
        return bean;
    }
}
