package io.github.wheelscheduler.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** Lets settings be bound, and the method behind Spring's private wrappers be found, in a native image, too. */
final class HiddenMethodHints implements RuntimeHintsRegistrar {

    static final String WRAPPER = "org.springframework.scheduling.config.Task$OutcomeTrackingRunnable";
    static final String FIELD = "runnable";
    static final String REACTIVE =
            "org.springframework.scheduling.annotation.ScheduledAnnotationReactiveSupport$SubscribingRunnable";
    static final String OBSERVED_FIELD = "contextSupplier";
    static final String OBSERVED = "org.springframework.scheduling.support.ScheduledTaskObservationContext";
    static final String METHOD_FIELD = "method";

    HiddenMethodHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindableRuntimeHintsRegistrar.forTypes(TaskProperties.class, GroupProperties.class)
                .registerHints(hints, classLoader);
        register(hints, classLoader, WRAPPER, FIELD);
        register(hints, classLoader, REACTIVE, OBSERVED_FIELD);
        register(hints, classLoader, OBSERVED, METHOD_FIELD);
    }

    private static void register(RuntimeHints hints, @Nullable ClassLoader classLoader, String name, String field) {
        if (ClassUtils.isPresent(name, classLoader)) {
            hints.reflection().registerType(TypeReference.of(name), type -> type.withField(field));
        }
    }
}
