package io.github.wheelscheduler.benchmarks.contender;

import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring's {@link ThreadPoolTaskScheduler}, which removes what is cancelled. */
final class TptsContender extends SpringContender {

    private TptsContender(ThreadPoolTaskScheduler scheduler) {
        super(scheduler, scheduler::shutdown);
    }

    static TptsContender withPoolOf(int workers) {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setPoolSize(workers);
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.afterPropertiesSet();
        return new TptsContender(scheduler);
    }
}
