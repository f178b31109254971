package io.github.wheelscheduler.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks of a timer see nothing of the thread that gives them, and the class loader of the thread that made the
 * executor.
 */
@Timeout(60)
class ThreadsOfNettyTimerTest {

    private static final InheritableThreadLocal<String> HEIRLOOM = new InheritableThreadLocal<>();

    private final ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
    private final ClassLoader other = new ClassLoader(null) {};
    private final WheelScheduledExecutor executor = callWith(
            "maker", application, () -> WheelScheduledExecutor.builder().build());
    private final WheelNettyTimer timer = callWith(
            "maker", application, () -> WheelNettyTimer.builder(executor).build());

    /** What a thread has. */
    private record Having(String value, ClassLoader loader) {}

    private static <T> T callWith(String own, ClassLoader loader, Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            HEIRLOOM.set(own);
            try {
                boolean ignored = result.complete(action.call());
            } catch (Throwable ex) {
                boolean ignored = result.completeExceptionally(ex);
            }
        });
        thread.setContextClassLoader(loader);
        thread.start();
        return result.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @AfterEach
    void close() {
        Object ignored = executor.shutdownNow();
    }

    @Test
    void tasksInheritNothing() {
        Set<Having> seen = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 50; i++) {
            int millis = i % 2;
            CompletableFuture<Void> ran = new CompletableFuture<>();
            Object ignored = callWith(
                    "caller",
                    other,
                    () -> timer.newTimeout(
                            timeout -> {
                                seen.add(new Having(
                                        String.valueOf(HEIRLOOM.get()),
                                        Thread.currentThread().getContextClassLoader()));
                                ran.complete(null);
                            },
                            millis,
                            TimeUnit.MILLISECONDS));
            ran.orTimeout(30, TimeUnit.SECONDS).join();
        }
        assertThat(seen).containsOnly(new Having("null", application));
    }

    @Test
    void taskExecutorDecidesForItself() {
        Direct direct = new Direct();
        WheelNettyTimer own = callWith(
                "maker",
                application,
                () -> WheelNettyTimer.builder(executor)
                        .taskExecutor(direct::run)
                        .build());
        CompletableFuture<String> seen = new CompletableFuture<>();
        Object ignored = callWith(
                "caller",
                other,
                () -> own.newTimeout(timeout -> seen.complete(HEIRLOOM.get()), 1, TimeUnit.MILLISECONDS));
        assertThat(seen.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("executor");
    }

    /** Runs each task on a thread with a value of its own. */
    private static final class Direct {

        void run(Runnable task) {
            Object ignored = callWith("executor", getClass().getClassLoader(), () -> {
                task.run();
                return true;
            });
        }
    }
}
