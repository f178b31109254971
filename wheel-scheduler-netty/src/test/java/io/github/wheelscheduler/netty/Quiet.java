package io.github.wheelscheduler.netty;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Keeps what tests throw on purpose off the console. */
final class Quiet implements BeforeAllCallback, AfterAllCallback {

    private static final Logger LOGGER = Logger.getLogger("io.github.wheelscheduler");

    @Override
    public void beforeAll(ExtensionContext context) {
        setQuiet(true);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        setQuiet(false);
    }

    static void setQuiet(boolean isQuiet) {
        LOGGER.setLevel(isQuiet ? Level.OFF : null);
    }
}
