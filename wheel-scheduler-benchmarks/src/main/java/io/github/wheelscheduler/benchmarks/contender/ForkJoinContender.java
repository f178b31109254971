package io.github.wheelscheduler.benchmarks.contender;

import java.util.Locale;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** {@link ForkJoinPool}, which is a scheduled executor from JDK 25 on. */
final class ForkJoinContender extends ExecutorContender {

    ForkJoinContender(int workers) {
        super(newExecutor(workers));
    }

    private static ScheduledExecutorService newExecutor(int workers) {
        Object pool = new ForkJoinPool(workers);
        if (pool instanceof ScheduledExecutorService executor) {
            return executor;
        }
        throw new IllegalArgumentException("fjp needs JDK 25 or later, was " + Runtime.version());
    }

    @Override
    public @Nullable Thread timerThread() {
        return LiveThreads.named(name -> name.toLowerCase(Locale.ROOT).contains("delayscheduler"));
    }
}
