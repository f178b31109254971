package io.github.wheelscheduler.benchmarks.contender;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/** Spring's {@link SimpleAsyncTaskScheduler}: a new thread for each run, a virtual one where there are such. */
final class SatsContender extends SpringContender {

    private static final String THREAD_PREFIX = "sats-";

    private SatsContender(SimpleAsyncTaskScheduler scheduler) {
        super(scheduler, scheduler::close);
    }

    static SatsContender withDefaults() {
        SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
        scheduler.setThreadNamePrefix(THREAD_PREFIX);
        if (VirtualThreads.areAvailable()) {
            scheduler.setVirtualThreads(true);
        }
        return new SatsContender(scheduler);
    }

    @Override
    public @Nullable Thread timerThread() {
        // The first thread that it makes; not to be found if it is virtual.
        return LiveThreads.named((THREAD_PREFIX + "1")::equals);
    }
}
