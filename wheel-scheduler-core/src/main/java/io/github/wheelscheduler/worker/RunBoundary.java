package io.github.wheelscheduler.worker;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The one catch around user code: whatever is thrown inside ends here and never ends a worker. */
final class RunBoundary {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    private final @Nullable RunHooks hooks;

    RunBoundary(@Nullable RunHooks hooks) {
        this.hooks = hooks;
    }

    void run(Runnable run) {
        if (hooks == null) {
            runGuarded(run);
            return;
        }
        try {
            hooks.beforeRun(Thread.currentThread(), run);
        } catch (Throwable ex) {
            LOGGER.log(Level.WARNING, "A hook before the run of " + run + " failed; the run goes on", ex);
        }
        Throwable failure = runGuarded(run);
        try {
            hooks.afterRun(run, failure);
        } catch (Throwable ex) {
            LOGGER.log(Level.WARNING, "A hook after the run of " + run + " failed", ex);
        }
    }

    static @Nullable Throwable runGuarded(Runnable run) {
        try {
            run.run();
            return null;
        } catch (Throwable ex) {
            LOGGER.log(Level.ERROR, "A run let an exception escape: " + run, ex);
            return ex;
        }
    }
}
