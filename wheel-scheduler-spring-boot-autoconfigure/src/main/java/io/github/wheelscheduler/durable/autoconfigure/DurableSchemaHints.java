package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableEngine;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Takes along into a native image the scripts that make the table, and what hears other nodes in the driver of
 * PostgreSQL.
 */
final class DurableSchemaHints implements RuntimeHintsRegistrar {

    DurableSchemaHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        String folder = DurableEngine.class.getPackageName().replace('.', '/');
        hints.resources().registerPattern(folder + "/schema-*.sql").registerPattern(folder + "/layout-*.sql");
        for (String heard : new String[] {"PGConnection", "PGNotification", "PGStatement"}) {
            hints.reflection()
                    .registerTypeIfPresent(
                            classLoader, "org.postgresql." + heard, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
    }
}
