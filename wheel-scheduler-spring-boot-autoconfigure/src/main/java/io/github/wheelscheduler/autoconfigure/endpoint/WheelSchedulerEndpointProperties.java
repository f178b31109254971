package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Settings of the endpoints. */
@ConfigurationProperties(WheelSchedulerEndpointProperties.PREFIX)
public class WheelSchedulerEndpointProperties implements InitializingBean {

    static final String PREFIX = "wheel.scheduler.endpoint";
    static final String REQUIRE_REASON = PREFIX + ".require-reason";

    /** Minimum rate or delay to which a task can be re-timed over HTTP and JMX. 0 for no minimum. */
    private Duration minInterval = Duration.ofMillis(1);

    /** Whether steering over HTTP and JMX must give a reason, and is refused without one. */
    private boolean requireReason;

    @Override
    public void afterPropertiesSet() {
        UnusableSettingException.unless(
                !minInterval.isNegative(), PREFIX + ".min-interval", minInterval, "must not be negative", "1ms");
    }

    public Duration getMinInterval() {
        return minInterval;
    }

    public void setMinInterval(Duration minInterval) {
        this.minInterval = minInterval;
    }

    public boolean isRequireReason() {
        return requireReason;
    }

    public void setRequireReason(boolean requireReason) {
        this.requireReason = requireReason;
    }
}
