package io.github.wheelscheduler.spring.contract;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

class WheelTaskSchedulerContractTest extends TaskSchedulerContract {

    @Override
    public ThreadPoolTaskScheduler create() {
        return new WheelTaskScheduler();
    }

    @Override
    public ThreadPoolTaskScheduler createWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
        return new HookedWheelTaskScheduler(before, after);
    }
}
