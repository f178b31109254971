package io.github.wheelscheduler.spring.contract;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Makes the schedulers under test, not yet initialized, so that each test can configure its own. */
interface SchedulerFactory {

    /** Returns a new scheduler that can run at least eight tasks at once unless a test sets its pool size. */
    ThreadPoolTaskScheduler create();

    /** Returns a new scheduler of a subclass whose before- and after-execute callbacks call the given ones. */
    ThreadPoolTaskScheduler createWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after);
}
