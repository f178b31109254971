package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A limit that changes under load loses and delays no task, and workers have the loader of the builder's thread. */
class ElasticWorkersTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @Test
    void changingTheLimitUnderLoadLosesNoTask() {
        int tasks = Scale.of(50_000, 2_000_000);
        WheelScheduledExecutor executor = build(builder -> builder.maxWorkers(8));
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < tasks; i++) {
            executor.execute(ran::incrementAndGet);
            if (i % 50 == 0) {
                executor.setMaxWorkers(1 + i / 50 % 8);
            }
        }
        awaitThat(() -> ran.get() == tasks);
        executor.setMaxWorkers(1);
        awaitThat(() -> executor.workerCount() == 1);
    }

    @Test
    void taskDuringALoweredLimitWaitsForNoOther() throws Exception {
        WheelScheduledExecutor executor = build(builder -> builder);
        for (int round = 0; round < Scale.of(500, 20_000); round++) {
            CountDownLatch together = new CountDownLatch(4);
            executor.setMaxWorkers(4);
            for (int i = 0; i < 4; i++) {
                executor.execute(() -> {
                    together.countDown();
                    awaitUninterrupted(together);
                });
            }
            awaitUninterrupted(together);
            Future<String> task = executor.submit(() -> "ran");
            executor.setMaxWorkers(1);
            assertThat(task.get(30, SECONDS)).isEqualTo("ran");
        }
    }

    @Test
    void threadsHaveTheBuildersLoaderAndNoThreadLocals() throws Exception {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader builders = new URLClassLoader(new URL[0], before);
                URLClassLoader callers = new URLClassLoader(new URL[0], before)) {
            current.setContextClassLoader(builders);
            WheelScheduledExecutor executor = build(builder -> builder);
            current.setContextClassLoader(callers);
            inherited.set("the caller's");
            AtomicReference<ClassLoader> seen = new AtomicReference<>();
            Future<String> value = executor.submit(() -> {
                seen.set(Thread.currentThread().getContextClassLoader());
                return inherited.get();
            });
            assertThat(value.get(30, SECONDS)).isNull();
            assertThat(seen.get()).isSameAs(builders);
        } finally {
            current.setContextClassLoader(before);
        }
    }

    private WheelScheduledExecutor build(UnaryOperator<WheelScheduledExecutorBuilder> options) {
        return stops.use(options.apply(WheelScheduledExecutor.builder()).build());
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
