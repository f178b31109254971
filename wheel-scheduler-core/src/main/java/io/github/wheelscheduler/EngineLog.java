package io.github.wheelscheduler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Logs what fails inside. Throws nothing, as there is nobody left to tell: neither a broken log nor a lack of memory harms the caller. */
final class EngineLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    private EngineLog() {}

    static void log(Level level, String message, Throwable failure) {
        try {
            LOGGER.log(level, message, failure);
        } catch (Throwable ex) {
            // There is nobody left to tell.
        }
    }
}
