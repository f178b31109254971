package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpoint;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of what the endpoint of the scheduler says of durable tasks. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, DurableEngine.class})
@ConditionalOnSingleCandidate(DurableEngine.class)
@ConditionalOnAvailableEndpoint(WheelSchedulerEndpoint.class)
public final class DurableFindingsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "wheelDurableFindings")
    FindingSource wheelDurableFindings(
            DurableEngine engine, ObjectProvider<WheelTaskScheduler> schedulers, Environment environment) {
        return new DurableFindings(
                engine,
                () -> {
                    WheelTaskScheduler scheduler = schedulers.getIfUnique();
                    return scheduler == null
                            ? null
                            : scheduler.getWarningLimits().run();
                },
                environment.getProperty(TraceUrl.PROPERTY));
    }
}
