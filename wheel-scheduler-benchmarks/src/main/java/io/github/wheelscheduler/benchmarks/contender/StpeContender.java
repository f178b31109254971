package io.github.wheelscheduler.benchmarks.contender;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The JDK's {@link ScheduledThreadPoolExecutor}, which removes what is cancelled. */
final class StpeContender extends ExecutorContender {

    StpeContender(int workers) {
        super(newExecutor(workers));
    }

    private static ScheduledThreadPoolExecutor newExecutor(int workers) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(workers);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }
}
