package io.github.wheelscheduler.spring.contract;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring's own scheduler keeps the contract: what the suite asks of ours is what users have today. */
@Tag("full")
class ThreadPoolTaskSchedulerContractTest extends TaskSchedulerContract {

    @Override
    public ThreadPoolTaskScheduler create() {
        return withPoolOfEight(new ThreadPoolTaskScheduler());
    }

    @Override
    public ThreadPoolTaskScheduler createWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
        return withPoolOfEight(new HookedScheduler(before, after));
    }

    private static ThreadPoolTaskScheduler withPoolOfEight(ThreadPoolTaskScheduler scheduler) {
        scheduler.setPoolSize(8);
        return scheduler;
    }

    private static final class HookedScheduler extends ThreadPoolTaskScheduler {

        private final transient BiConsumer<Thread, Runnable> before;
        private final transient BiConsumer<Runnable, @Nullable Throwable> after;

        HookedScheduler(BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
            this.before = before;
            this.after = after;
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable task) {
            super.beforeExecute(thread, task);
            before.accept(thread, task);
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable failure) {
            after.accept(task, failure);
            super.afterExecute(task, failure);
        }
    }
}
