package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/** Starts a node when the context is up, and closes it before web servers and data sources go. */
final class DurableLifecycle
        implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, ApplicationContextAware {

    private final DurableEngine engine;
    private final boolean isEnabled;

    private @Nullable ApplicationContext context;
    private volatile boolean isRunning;

    /** Whether the context closes, so that it is not started again. */
    private volatile boolean isClosing;

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
        // Runs are to be interrupted before the scheduler waits for them.
        if (isClosing) {
            engine.close();
        } else {
            engine.stop();
        }
        isRunning = false;
    }

    @Override
    public void setApplicationContext(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        isClosing |= event.getApplicationContext() == context;
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
