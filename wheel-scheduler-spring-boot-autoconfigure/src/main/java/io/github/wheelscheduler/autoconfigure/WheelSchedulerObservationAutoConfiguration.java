package io.github.wheelscheduler.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration that reports the real end of runs of reactive {@code @Scheduled} methods if Spring observes them:
 * with Boot's {@link ObservationRegistry}, and with Reactor, without which Spring does not begin to observe them.
 */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(value = ObservationRegistry.class, name = "reactor.core.publisher.Flux")
@ConditionalOnBean(ObservationRegistry.class)
public final class WheelSchedulerObservationAutoConfiguration {

    @Bean
    static ReactiveRuns wheelSchedulerReactiveRuns(ObjectProvider<EndedSpans> spans) {
        return new ReactiveRuns(SingletonSupplier.ofNullable(spans::getIfAvailable));
    }
}
