package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableEngine;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Auto-configuration that stops the start for methods that are to be durable where {@link DurableAutoConfiguration} has
 * backed off for an engine of the application or of a parent context.
 */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({DurableEngine.class, JdbcTemplate.class})
@ConditionalOnBean(DurableEngine.class)
public final class DurableGuardAutoConfiguration {

    @Bean
    static UntakenDurableMethods wheelUntakenDurableMethods(ConfigurableListableBeanFactory beanFactory) {
        return new UntakenDurableMethods(beanFactory);
    }
}
