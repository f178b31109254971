package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpoint;
import io.github.wheelscheduler.history.HistoryEngine;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of what the endpoint of the scheduler says of the history. */
@AutoConfiguration(after = HistoryAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, HistoryEngine.class})
@ConditionalOnBean({HistoryEngine.class, MissedAtStart.class})
@ConditionalOnAvailableEndpoint(WheelSchedulerEndpoint.class)
public final class HistoryFindingsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "wheelHistoryFindings")
    FindingSource wheelHistoryFindings(HistoryEngine history, MissedAtStart missed) {
        return new HistoryFindings(history, missed);
    }
}
