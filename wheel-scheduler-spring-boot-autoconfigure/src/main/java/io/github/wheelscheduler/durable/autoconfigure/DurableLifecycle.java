package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import org.springframework.context.SmartLifecycle;

/** Starts a node when the context is up, and closes it before web servers and data sources go. */
final class DurableLifecycle implements SmartLifecycle {

    private final DurableEngine engine;
    private final boolean isEnabled;

    private volatile boolean isRunning;

    DurableLifecycle(DurableEngine engine, boolean isEnabled) {
        this.engine = engine;
        this.isEnabled = isEnabled;
    }

    @Override
    public void start() {
        if (isEnabled) {
            startEngine();
        }
        isRunning = true;
    }

    private void startEngine() {
        try {
            engine.start();
        } catch (UnsupportedDatabaseException ex) {
            throw new UnusableSetupException(String.valueOf(ex.getMessage()), ex.action(), ex);
        }
    }

    @Override
    public void stop() {
        // It may be started again; what is not is closed with its bean.
        engine.stop();
        isRunning = false;
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    /** A pause of the context is no end. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
