package io.github.wheelscheduler.spring.contract;

import io.github.wheelscheduler.spring.SchedulerWithExecutorAround;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A scheduler whose tasks a user's executor arms keeps the contract, too. */
@Tag("full")
class ExecutorAroundContractTest extends TaskSchedulerContract {

    @Override
    public ThreadPoolTaskScheduler create() {
        return new SchedulerWithExecutorAround(true);
    }

    @Override
    public ThreadPoolTaskScheduler createWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
        return new HookedWheelTaskScheduler(before, after);
    }
}
