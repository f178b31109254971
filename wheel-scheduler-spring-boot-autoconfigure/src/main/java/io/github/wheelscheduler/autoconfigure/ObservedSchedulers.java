package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.function.SingletonSupplier;

/** Lets wheel schedulers observe their runs. The registry is looked up at the first run: it may need the whole application. */
final class ObservedSchedulers implements BeanPostProcessor {

    private final ObjectProvider<WheelSchedulerProperties> properties;
    private final ObjectProvider<WheelRunObservationConvention> convention;
    private final Supplier<ObservationRegistry> registry;

    ObservedSchedulers(
            ObjectProvider<WheelSchedulerProperties> properties,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<WheelRunObservationConvention> convention) {
        this.properties = properties;
        this.convention = convention;
        this.registry = SingletonSupplier.of(() -> registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Override
    public @Nullable Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler)) {
            scheduler.setRunObservation(new WheelRunObservation(
                    registry, properties.getObject().getObserve(), convention.getIfAvailable()));
        }
        return bean;
    }
}
