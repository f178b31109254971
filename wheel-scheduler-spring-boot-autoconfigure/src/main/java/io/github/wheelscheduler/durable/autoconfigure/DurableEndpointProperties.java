package io.github.wheelscheduler.durable.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Settings of the endpoint of durable tasks. */
@ConfigurationProperties("management.endpoint.wheeldurable")
public final class DurableEndpointProperties {

    /** When to show payloads of durable tasks. */
    private Show showValues = Show.NEVER;

    /** Roles of the users who see payloads if show-values is when-authorized. Empty for all signed-in users. */
    private final Set<String> roles = new HashSet<>();

    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show showValues) {
        this.showValues = showValues;
    }

    public Set<String> getRoles() {
        return roles;
    }
}
