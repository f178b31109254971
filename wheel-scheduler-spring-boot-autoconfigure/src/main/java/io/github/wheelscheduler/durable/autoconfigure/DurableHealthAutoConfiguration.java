package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableEngine;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of durable tasks. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class, DurableEngine.class})
@ConditionalOnSingleCandidate(DurableEngine.class)
@ConditionalOnEnabledHealthIndicator("wheeldurable")
public final class DurableHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"wheelDurableHealthIndicator", "wheelDurableHealthContributor"})
    HealthContributor wheelDurableHealthContributor(DurableEngine engine) {
        return new DurableHealthIndicator(engine);
    }
}
