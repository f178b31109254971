package io.github.wheelscheduler.spring.contract;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

@EnabledForJreRange(min = JRE.JAVA_21)
class WheelTaskSchedulerOnVirtualThreadsContractTest extends TaskSchedulerContract {

    @Override
    public ThreadPoolTaskScheduler create() {
        return onVirtualThreads(new WheelTaskScheduler());
    }

    @Override
    public ThreadPoolTaskScheduler createWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
        return onVirtualThreads(new HookedWheelTaskScheduler(before, after));
    }

    private static ThreadPoolTaskScheduler onVirtualThreads(WheelTaskScheduler scheduler) {
        scheduler.setVirtualThreads(true);
        return scheduler;
    }
}
