package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableEngine;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes the scripts that make the table along into a native image. */
final class DurableSchemaHints implements RuntimeHintsRegistrar {

    DurableSchemaHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        String folder = DurableEngine.class.getPackageName().replace('.', '/');
        hints.resources().registerPattern(folder + "/schema-*.sql");
    }
}
