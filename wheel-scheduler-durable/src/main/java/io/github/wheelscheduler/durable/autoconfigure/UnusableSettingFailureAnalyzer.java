package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.UnusableDurableSettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Explains an {@link UnusableDurableSettingException}: which property, what is written where, and what to write instead. */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Boot's, which explain what it has caused
final class UnusableSettingFailureAnalyzer extends AbstractFailureAnalyzer<UnusableDurableSettingException> {

    private final Environment environment;

    UnusableSettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusableDurableSettingException cause) {
        String property = DurableProperties.PREFIX + "." + DataObjectPropertyName.toDashedForm(cause.setting());
        ConfigurationProperty written = findWritten(property);
        String description = "The property '%s' is '%s'%s, but it %s."
                .formatted(property, textOf(written, cause), originOf(written), cause.rule());
        String action = "Set '%s' to a value that fits, for example %s=%s%s."
                .formatted(
                        property,
                        property,
                        cause.example(),
                        written == null ? "" : ", or remove it to get the default");
        return new FailureAnalysis(description, action, cause);
    }

    private @Nullable ConfigurationProperty findWritten(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty written = source.getConfigurationProperty(name);
            if (written != null) {
                return written;
            }
        }
        return null;
    }

    private String textOf(@Nullable ConfigurationProperty written, UnusableDurableSettingException cause) {
        return written == null ? cause.value() : environment.resolvePlaceholders(String.valueOf(written.getValue()));
    }

    private static String originOf(@Nullable ConfigurationProperty written) {
        if (written == null) {
            return " (the default)";
        }
        return written.getOrigin() == null ? "" : " (from " + written.getOrigin() + ")";
    }
}
