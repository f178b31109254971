package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Observes calls of keyed timers, idle timeouts and leases that are beans, if everything is observed. */
final class ObservedTimers implements BeanPostProcessor {

    /** As the group of its listeners' workers is called. */
    private static final String LOST = "-lost";

    private final ObjectProvider<WheelRunObservation> observation;

    ObservedTimers(ObjectProvider<WheelRunObservation> observation) {
        this.observation = observation;
    }

    @Override
    public @Nullable Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof KeyedTimers<?, ?> keyed) {
            keyed.setCallObserver(observer("keyed", beanName));
        } else if (bean instanceof IdleTimeouts<?> idle) {
            idle.setCallObserver(observer("idle", beanName));
        } else if (bean instanceof LeaseRenewer<?> leases) {
            leases.setCallObservers(observer("lease", beanName), observer("lease", beanName + LOST));
        }
        return bean;
    }

    private @Nullable ObservedCalls observer(String kind, String name) {
        WheelRunObservation how = observation.getObject();
        return how.which() == ObservedTasks.ALL ? new ObservedCalls(how, kind, name) : null;
    }
}
