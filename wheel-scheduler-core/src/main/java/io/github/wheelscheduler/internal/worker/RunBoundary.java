package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.internal.EngineLog;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The one catch around user code: exceptions from inside end here, and end no worker. */
final class RunBoundary {

    private static final String ESCAPED = "An exception escaped from a run, mostly from a task decorator; its "
            + "worker continues. Fix the code that threw it";

    private final Workers.Listener listener;
    private final @Nullable RunHooks hooks;

    RunBoundary(Workers.Listener listener, @Nullable RunHooks hooks) {
        this.listener = listener;
        this.hooks = hooks;
    }

    void run(Runnable run) {
        if (hooks == null) {
            Throwable ignored = runToItsEnd(run);
            return;
        }
        try {
            hooks.beforeRun(Thread.currentThread(), run);
        } catch (Throwable ex) {
            EngineLog.log(
                    Level.WARNING, "The hook before a run failed; the run starts anyway. Fix the RunHooks", run, ex);
        }
        Throwable failure = runToItsEnd(run);
        try {
            hooks.afterRun(run, failure);
        } catch (Throwable ex) {
            EngineLog.log(
                    Level.WARNING,
                    "The hook after a run failed; the run's result is unchanged. Fix the RunHooks",
                    run,
                    ex);
        }
    }

    private @Nullable Throwable runToItsEnd(Runnable run) {
        Throwable failure = runGuarded(run);
        if (failure != null) {
            listener.escaped(run, failure);
        }
        return failure;
    }

    static @Nullable Throwable runGuarded(Runnable run) {
        try {
            SeparateFrame.run(run);
            return null;
        } catch (Throwable ex) {
            logEscape(run, ex);
            return ex;
        }
    }

    private static void logEscape(Runnable run, Throwable failure) {
        try {
            EngineLog.log(Level.ERROR, ESCAPED, run, failure);
        } catch (Throwable ex) {
            // Without memory, the handling of a failure fails, too.
        }
    }
}
