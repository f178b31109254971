package io.github.wheelscheduler;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The executor's threads are what the builder promises, no matter which thread schedules first. */
@SuppressWarnings("ThreadPriorityCheck") // it is about priorities
class ThreadsOfTheirOwnTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    /** Who schedules first. */
    enum First {
        A_DAEMON,
        ONE_OF_LOW_PRIORITY,
        ONE_OF_ANOTHER_GROUP,
        THE_COMMON_POOL;

        void call(Runnable action) {
            Consumer<Thread> settings = thread -> {};
            switch (this) {
                case A_DAEMON -> settings = thread -> thread.setDaemon(true);
                case ONE_OF_LOW_PRIORITY -> settings = thread -> thread.setPriority(Thread.MIN_PRIORITY);
                case ONE_OF_ANOTHER_GROUP -> {}
                case THE_COMMON_POOL -> {
                    ForkJoinPool.commonPool().execute(action);
                    return;
                }
            }
            Thread thread = new Thread(new ThreadGroup("other"), action);
            settings.accept(thread);
            thread.start();
        }
    }

    @ParameterizedTest
    @EnumSource
    void threadsInheritNothingFromWhoSchedulesFirst(First first) throws Exception {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        first.call(() -> executor.execute(() -> {
            boolean ignored = worker.complete(Thread.currentThread());
            // Until the test has looked at it.
            executor.execute(() -> {});
        }));
        Thread thread = worker.get(30, SECONDS);
        assertThat(thread.isDaemon()).isFalse();
        assertThat(thread.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
        assertThat(thread.getThreadGroup()).isSameAs(Thread.currentThread().getThreadGroup());
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(other -> other.getName().startsWith("wheel-scheduler-"))
                .allMatch(other -> !other.isDaemon() && other.getPriority() == Thread.NORM_PRIORITY);
    }

    @Test
    void threadPerRunHasTheClassLoaderOfWhoBuiltTheExecutorWhoeverSchedules() throws Exception {
        WheelScheduledExecutor executor = stops.use(
                WheelScheduledExecutor.builder().threadPerRun(Thread::new).build());
        CompletableFuture<ClassLoader> seen = new CompletableFuture<>();
        Thread caller = new Thread(() ->
                executor.execute(() -> seen.complete(Thread.currentThread().getContextClassLoader())));
        caller.setContextClassLoader(new ClassLoader(null) {});
        caller.start();
        assertThat(seen.get(30, SECONDS)).isSameAs(Thread.currentThread().getContextClassLoader());
    }

    @Test
    void threadsAreNoDaemonsByDefault() throws Exception {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        assertThat(executor.submit(() -> Thread.currentThread().isDaemon()).get(30, SECONDS))
                .isFalse();
    }
}
