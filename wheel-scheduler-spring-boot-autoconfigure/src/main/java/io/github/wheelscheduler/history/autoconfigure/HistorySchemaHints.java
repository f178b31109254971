package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.HistoryEngine;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes along into a native image the scripts that make the tables. */
final class HistorySchemaHints implements RuntimeHintsRegistrar {

    HistorySchemaHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        String folder = HistoryEngine.class.getPackageName().replace('.', '/');
        hints.resources().registerPattern(folder + "/schema-*.sql");
    }
}
