package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
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

/**
 * Explains an {@link UnusableSettingException} of a property: which property, its value and where that is written, and
 * an example.
 */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Boot's analyzer for bind exceptions, which knows no rule and no example
final class UnusableSettingFailureAnalyzer extends AbstractFailureAnalyzer<UnusableSettingException> {

    private final Environment environment;

    UnusableSettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnusableSettingException cause) {
        String property = cause.setting();
        if (!property.startsWith("wheel.") && !property.startsWith("spring.")) {
            return null; // an annotation has it, or a builder
        }
        ConfigurationProperty written = findWritten(property);
        // The value for a name that is not written so may be in code, or be written with another spelling of the name.
        boolean isNamed = property.startsWith(TaskOverrides.PROPERTY) || property.startsWith(GroupBeans.PROPERTY);
        boolean isDefault = written == null && !isNamed;
        String description = "The property '%s' is '%s'%s, but it %s."
                .formatted(
                        property,
                        written == null
                                ? cause.value()
                                : environment.resolvePlaceholders(String.valueOf(written.getValue())),
                        isDefault ? " (the default)" : originOf(written),
                        cause.rule());
        String action = cause.rule().equals(GroupBeans.NAME_RULE)
                ? "Give the group another name, for example '%s'.".formatted(cause.example())
                : "Set '%s' to a valid value, for example %s=%s%s."
                        .formatted(
                                property,
                                property,
                                cause.example(),
                                isDefault ? "" : ", or remove it to get the default");
        return new FailureAnalysis(description, action, cause);
    }

    private @Nullable ConfigurationProperty findWritten(String property) {
        // A name in it may have capitals.
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty written = source.getConfigurationProperty(name);
            if (written != null) {
                return written;
            }
        }
        return null;
    }

    private static String originOf(@Nullable ConfigurationProperty written) {
        return written == null || written.getOrigin() == null ? "" : " (from " + written.getOrigin() + ")";
    }
}
