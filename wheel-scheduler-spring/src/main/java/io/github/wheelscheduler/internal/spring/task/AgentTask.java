package io.github.wheelscheduler.internal.spring.task;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.util.ErrorHandler;
import org.springframework.util.ReflectionUtils;

/**
 * A repeating task that OpenTelemetry's Java agent traces. The agent wraps the tasks of Spring's schedulers, which it
 * knows by their class names. So the task is given to one of them, and its wrapper runs in place of the task.
 */
final class AgentTask implements Runnable {

    final Runnable users;

    /** Makes the span, runs the task, and reports its failure while the span is current. */
    private final Runnable wrapper;

    private AgentTask(Runnable users, Runnable wrapper) {
        this.users = users;
        this.wrapper = wrapper;
    }

    /** Returns the task as the agent traces it; the task itself if Spring or the agent fails. */
    static Runnable of(Runnable users, GuardedTask guard) {
        Runnable wrapper = wrap(users, thrown -> {
            if (guard.isThrownOn(users, thrown)) {
                ReflectionUtils.rethrowRuntimeException(thrown);
            }
        });
        return wrapper == null ? users : new AgentTask(users, wrapper);
    }

    /** Whether the agent wraps tasks. Otherwise, Spring wraps no task that handles its errors. */
    static boolean isMade() {
        Runnable task = new DelegatingErrorHandlingRunnable(() -> {}, thrown -> {});
        Runnable wrapper = wrap(task, thrown -> {});
        return wrapper != null && wrapper != task;
    }

    private static @Nullable Runnable wrap(Runnable task, ErrorHandler handler) {
        try {
            SpringsScheduler scheduler = new SpringsScheduler();
            scheduler.setErrorHandler(handler);
            ScheduledFuture<?> ignored = scheduler.scheduleAtFixedRate(task, Duration.ofNanos(1));
            return scheduler.scheduled;
        } catch (RuntimeException | LinkageError ex) {
            // A task without a span is better than none.
            return null;
        }
    }

    @Override
    public void run() {
        wrapper.run();
    }

    /** Has no executor, and notes the task that it would execute. */
    @SuppressWarnings("serial")
    private static final class SpringsScheduler extends ThreadPoolTaskScheduler {

        private @Nullable Runnable scheduled;

        @Override
        public ScheduledExecutorService getScheduledExecutor() {
            return (ScheduledExecutorService) Proxy.newProxyInstance(
                    SpringsScheduler.class.getClassLoader(),
                    new Class<?>[] {ScheduledExecutorService.class},
                    (proxy, method, arguments) -> {
                        scheduled = (Runnable) arguments[0];
                        return null;
                    });
        }
    }
}
