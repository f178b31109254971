package io.github.wheelscheduler.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Explains an {@link UnusablePropertyException}: which property, what is written where, and what to write instead. */
@Order(Ordered.HIGHEST_PRECEDENCE) // Boot's analyzer for bind exceptions would explain it, too, but worse
final class UnusablePropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnusablePropertyException> {

    private final Environment environment;

    UnusablePropertyFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusablePropertyException cause) {
        if (cause.action() != null) {
            return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
        }
        String property = cause.property();
        // A name in it may have capitals.
        ConfigurationProperty written = findWritten(ConfigurationPropertyName.adapt(property, '.'));
        String description = "The property '%s' is '%s'%s, but it %s."
                .formatted(property, textOf(written, cause), originOf(written), cause.rule());
        String action = cause.rule().equals(GroupBeans.NAME_RULE)
                ? "Give the group another name, for example '%s'.".formatted(cause.example())
                : "Set '%s' to a value that fits, for example %s=%s, or remove it to get the default."
                        .formatted(property, property, cause.example());
        return new FailureAnalysis(description, action, cause);
    }

    private @Nullable ConfigurationProperty findWritten(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty written = source.getConfigurationProperty(name);
            if (written != null) {
                return written;
            }
        }
        return null;
    }

    private String textOf(@Nullable ConfigurationProperty written, UnusablePropertyException cause) {
        return written == null ? cause.value() : environment.resolvePlaceholders(String.valueOf(written.getValue()));
    }

    private static String originOf(@Nullable ConfigurationProperty written) {
        return written == null || written.getOrigin() == null ? "" : " (from " + written.getOrigin() + ")";
    }
}
