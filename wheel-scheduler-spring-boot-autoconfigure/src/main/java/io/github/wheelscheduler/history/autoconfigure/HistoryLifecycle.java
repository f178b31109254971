package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryUnavailableException;
import org.springframework.context.SmartLifecycle;

/** Starts the history before tasks run. It ends when it is destroyed, as runs may end until then. */
final class HistoryLifecycle implements SmartLifecycle {

    private final HistoryEngine history;
    private volatile boolean isRunning;

    HistoryLifecycle(HistoryEngine history) {
        this.history = history;
    }

    @Override
    public void start() {
        try {
            history.start();
        } catch (HistoryUnavailableException ex) {
            throw new UnusableSetupException(String.valueOf(ex.getMessage()), ex.action(), ex);
        }
        isRunning = true;
    }

    @Override
    public void stop() {
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

    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
