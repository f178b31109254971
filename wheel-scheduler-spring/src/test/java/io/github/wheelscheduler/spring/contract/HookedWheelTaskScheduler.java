package io.github.wheelscheduler.spring.contract;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A subclass as users write it to be told of each run. */
@SuppressWarnings("serial")
final class HookedWheelTaskScheduler extends WheelTaskScheduler {

    private final BiConsumer<Thread, Runnable> before;
    private final BiConsumer<Runnable, @Nullable Throwable> after;

    HookedWheelTaskScheduler(BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after) {
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
