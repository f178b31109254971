package io.github.wheelscheduler.autoconfigure.endpoint;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoints.
 *
 * @param minInterval Shortest fixed rate or delay to which a task can be re-timed over HTTP and JMX. 0 for any.
 */
@ConfigurationProperties(WheelSchedulerEndpointProperties.PREFIX)
public record WheelSchedulerEndpointProperties(
        @DefaultValue("1ms") Duration minInterval) {

    static final String PREFIX = "wheel.scheduler.endpoint";

    public WheelSchedulerEndpointProperties {
        if (minInterval.isNegative()) {
            throw new IllegalArgumentException(PREFIX + ".min-interval must not be negative, was " + minInterval);
        }
    }
}
