package io.github.wheelscheduler.benchmarks.contender;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.jspecify.annotations.Nullable;

/** Our scheduler as Spring sees it. */
final class WheelSpringContender extends SpringContender {

    private static final String THREAD_PREFIX = "wheel-spring-";

    private WheelSpringContender(WheelTaskScheduler scheduler) {
        super(scheduler, scheduler::shutdown);
    }

    static WheelSpringContender withDefaults() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setThreadNamePrefix(THREAD_PREFIX);
        scheduler.afterPropertiesSet();
        return new WheelSpringContender(scheduler);
    }

    @Override
    public @Nullable Thread timerThread() {
        return LiveThreads.named((THREAD_PREFIX + "tick")::equals);
    }
}
