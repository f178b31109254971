package io.github.wheelscheduler;

import io.github.wheelscheduler.internal.engine.Engine;

/** Opens an executor for the tests of what is below it. */
public final class EngineOf {

    private EngineOf() {}

    /** Returns the engine of the executor. */
    public static Engine executor(WheelScheduledExecutor executor) {
        return executor.engine;
    }
}
