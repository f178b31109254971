package io.github.wheelscheduler.internal.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Logs failures of the engine's own work. Throws nothing: neither a broken log nor a lack of memory harms the caller. */
final class EngineLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    private EngineLog() {}

    static void log(Level level, String message, Throwable failure) {
        try {
            LOGGER.log(level, message, failure);
        } catch (Throwable ex) {
            // There is no other place to tell it.
        }
    }
}
