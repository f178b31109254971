package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers come when they are needed, up to a limit, and go. */
class ElasticWorkersTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @Test
    void moreThanAHundredSleepingTasksSleepAtATime() throws Exception {
        int tasks = 150;
        WheelScheduledExecutor executor = build(builder -> builder);
        CountDownLatch together = new CountDownLatch(tasks);
        for (int i = 0; i < tasks; i++) {
            executor.execute(() -> {
                together.countDown();
                awaitUninterrupted(together);
            });
        }
        assertThat(together.await(30, SECONDS)).isTrue();
        assertThat(executor.workerCount()).isGreaterThanOrEqualTo(tasks);
    }

    @Test
    void idleWorkersEndExceptTwo() throws Exception {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        WheelScheduledExecutor executor = build(builder -> builder.workerKeepAlive(Duration.ofMillis(20))
                .threadFactory(task -> {
                    Thread thread = new Thread(task);
                    threads.add(thread);
                    return thread;
                })
                .tickThreadFactory(Thread::new));
        Gate gate = new Gate();
        for (int i = 0; i < 10; i++) {
            executor.execute(gate);
        }
        gate.awaitArrivals(10);
        assertThat(executor.workerCount()).isGreaterThanOrEqualTo(10);

        gate.open();
        awaitThat(() -> threads.stream().filter(Thread::isAlive).count() == 2);
        await().during(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> executor.workerCount() == 2);
        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
    }

    @Test
    void singleWorkerTakesTasksInTheirOrder() {
        WheelScheduledExecutor executor = build(builder -> builder.maxWorkers(1));
        List<Integer> order = new CopyOnWriteArrayList<>();
        IntStream.range(0, 3_000).forEach(number -> executor.execute(() -> order.add(number)));
        awaitThat(() -> order.size() == 3_000);
        assertThat(order).isSorted();
        assertThat(executor.workerCount()).isOne();
    }

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
    void limitThatIsRaisedLetsWaitingTasksStart() {
        WheelScheduledExecutor executor = build(builder -> builder.maxWorkers(1));
        Gate gate = new Gate();
        for (int i = 0; i < 5; i++) {
            executor.execute(gate);
        }
        // First that: otherwise four may be ready of which the worker has taken none.
        gate.awaitArrivals(1);
        awaitThat(() -> executor.readyCount() == 4);
        assertThat(gate.arrivals()).isOne();
        executor.setMaxWorkers(5);
        gate.awaitArrivals(5);
        gate.open();
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
