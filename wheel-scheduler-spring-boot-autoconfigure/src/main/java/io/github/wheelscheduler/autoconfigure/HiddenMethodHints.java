package io.github.wheelscheduler.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/** Lets the bean behind Spring's private wrapper be found in a native image, too: of a method that several beans inherit. */
final class HiddenMethodHints implements RuntimeHintsRegistrar {

    static final String WRAPPER = "org.springframework.scheduling.config.Task$OutcomeTrackingRunnable";
    static final String FIELD = "runnable";

    HiddenMethodHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        if (ClassUtils.isPresent(WRAPPER, classLoader)) {
            hints.reflection().registerType(TypeReference.of(WRAPPER), type -> type.withField(FIELD));
        }
    }
}
