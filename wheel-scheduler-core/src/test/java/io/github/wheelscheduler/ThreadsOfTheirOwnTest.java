package io.github.wheelscheduler;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Caller;
import io.github.wheelscheduler.testing.Heirloom;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The executor's threads are what the builder promises, no matter which thread schedules first. */
@SuppressWarnings("ThreadPriorityCheck") // it is about priorities
class ThreadsOfTheirOwnTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final Heirloom maker = new Heirloom();
    private final ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};

    @ParameterizedTest
    @MethodSource("callers")
    void threadsInheritNothingFromWhoSchedulesFirst(Caller first) throws Exception {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        boolean isScheduled = first.call(() -> {
            executor.execute(() -> {
                boolean ignored = worker.complete(Thread.currentThread());
                // Until the test has looked at it.
                executor.execute(() -> {});
            });
            return true;
        });
        assertThat(isScheduled).isTrue();
        Thread thread = worker.get(30, SECONDS);
        assertThat(thread.isDaemon()).isFalse();
        assertThat(thread.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
        assertThat(thread.getThreadGroup()).isSameAs(Thread.currentThread().getThreadGroup());
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(other -> other.getName().startsWith("wheel-scheduler-"))
                .allMatch(other -> !other.isDaemon() && other.getPriority() == Thread.NORM_PRIORITY);
    }

    /** Who schedules a run that has a thread of its own. */
    static Stream<Caller> callers() {
        return Stream.of(Caller.values()).filter(Caller::isAvailable);
    }

    @ParameterizedTest
    @MethodSource("callers")
    void threadPerRunHasTheClassLoaderOfTheMaker(Caller caller) throws Exception {
        WheelScheduledExecutor executor = maker.callWith(
                "maker",
                application,
                () -> stops.use(WheelScheduledExecutor.builder()
                        .threadPerRun(Thread::new)
                        .build()));
        assertThat(loadersSeen(executor, caller)).containsOnly(application);
    }

    @ParameterizedTest
    @MethodSource("callers")
    void factoryOfThreadsPerRunChoosesTheClassLoader(Caller caller) throws Exception {
        ClassLoader chosen = Thread.currentThread().getContextClassLoader();
        WheelScheduledExecutor executor = maker.callWith(
                "maker",
                application,
                () -> stops.use(WheelScheduledExecutor.builder()
                        .threadPerRun(run -> {
                            Thread thread = new Thread(run);
                            thread.setContextClassLoader(chosen);
                            return thread;
                        })
                        .build()));
        assertThat(loadersSeen(executor, caller)).containsOnly(chosen);
    }

    /**
     * The class loaders of runs that are due now, which the caller starts, and of such that are not, which another
     * thread starts.
     */
    private static Set<ClassLoader> loadersSeen(WheelScheduledExecutor executor, Caller caller) throws Exception {
        Set<ClassLoader> seen = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 10; i++) {
            List<Future<?>> runs = caller.call(() -> List.of(
                    executor.submit(() -> seen.add(Thread.currentThread().getContextClassLoader())),
                    executor.schedule(
                            () -> seen.add(Thread.currentThread().getContextClassLoader()), 100, MICROSECONDS)));
            for (Future<?> run : runs) {
                Object ignored = run.get(30, SECONDS);
            }
        }
        return seen;
    }

    @Test
    void factoryIsAskedAgainWithTheClassLoaderOfTheMaker() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        CountDownLatch isToFail = new CountDownLatch(1);
        CompletableFuture<ClassLoader> askedAgain = new CompletableFuture<>();
        ThreadFactory factory = code -> {
            if (isAsked.getCount() > 0) {
                isAsked.countDown();
                awaitUninterruptibly(isToFail);
                throw new IllegalStateException("on purpose");
            }
            boolean ignored = askedAgain.complete(Thread.currentThread().getContextClassLoader());
            return new Thread(code);
        };
        WheelScheduledExecutor executor = maker.callWith(
                "maker",
                application,
                () -> stops.use(WheelScheduledExecutor.builder()
                        .tickThreadFactory(factory)
                        .build()));
        ClassLoader other = new ClassLoader(null) {};
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(() -> maker.callWith("caller", other, () -> {
            Object ignored = executor.schedule(() -> {}, 1, SECONDS);
            return true;
        }));
        assertThat(isAsked.await(30, SECONDS)).isTrue();
        Future<?> second = executor.schedule(() -> {}, 1, SECONDS);
        isToFail.countDown();
        assertThat(askedAgain.get(30, SECONDS)).isSameAs(application);
        assertThat(second.get(30, SECONDS)).isNull();
        assertThat(first).failsWithin(Duration.ofSeconds(30));
        assertThat(maker.parents()).isEmpty();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            boolean ignored = latch.await(30, SECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
