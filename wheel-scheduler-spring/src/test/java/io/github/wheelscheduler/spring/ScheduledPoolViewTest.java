package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Gate;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is particular to the thread pool that a scheduler on the wheel returns: it has none. */
@SuppressWarnings({"FutureReturnValueIgnored", "CollectionUndefinedEquality"}) // futures are compared by identity
class ScheduledPoolViewTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private ScheduledThreadPoolExecutor pool() {
        if (!scheduler.isInitialized()) {
            scheduler.initialize();
        }
        return scheduler.getScheduledThreadPoolExecutor();
    }

    /** A method that is not overridden might start a thread of the pool that the view is by its type. */
    @Test
    void everyMethodIsAnsweredByTheView() {
        Set<String> answered = Arrays.stream(ScheduledPoolView.class.getDeclaredMethods())
                .map(ScheduledPoolViewTest::signature)
                .collect(Collectors.toSet());
        Set<String> inherited = new TreeSet<>();
        for (Class<?> type : List.of(
                ScheduledThreadPoolExecutor.class,
                ThreadPoolExecutor.class,
                AbstractExecutorService.class,
                ExecutorService.class,
                ScheduledExecutorService.class)) {
            Stream.of(type.getDeclaredMethods())
                    .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                    .map(ScheduledPoolViewTest::signature)
                    .forEach(inherited::add);
        }
        // What the pool has been made with, and nothing changes.
        inherited.removeAll(Set.of("getThreadFactory()", "getRejectedExecutionHandler()"));
        assertThat(answered).containsAll(inherited);
    }

    private static String signature(Method method) {
        return method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    /** Each method that is not simply passed on has a row. */
    @Test
    void tableNamesWhatIsMappedAndRefused() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "coming-from.md"));
        String table =
                page.substring(page.indexOf("### Its thread pool"), page.indexOf("## ScheduledThreadPoolExecutor"));
        refusals()
                .map(each -> (String) each.get()[0])
                .forEach(name -> assertThat(table).contains("`" + name));
        assertThat(table)
                .contains(
                        "`getQueue",
                        "`remove",
                        "`purge",
                        "`getCorePoolSize",
                        "`setMaximumPoolSize",
                        "`getLargestPoolSize")
                .contains(
                        "`beforeExecute`", "`afterExecute`", "`terminated`", "`decorateTask`", "`prestartCoreThread`");
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                refusal("setCorePoolSize", pool -> pool.setCorePoolSize(4)),
                refusal("setThreadFactory", pool -> pool.setThreadFactory(Thread::new)),
                refusal(
                        "setRejectedExecutionHandler",
                        pool -> pool.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy())),
                refusal("setKeepAliveTime", pool -> pool.setKeepAliveTime(1, SECONDS)),
                refusal("allowCoreThreadTimeOut", pool -> pool.allowCoreThreadTimeOut(true)),
                refusal("setRemoveOnCancelPolicy", pool -> pool.setRemoveOnCancelPolicy(false)),
                refusal("getQueue().put", ScheduledPoolViewTest::put),
                refusal("getQueue().offer", pool -> pool.getQueue().offer(() -> {})),
                refusal("getQueue().take", ScheduledPoolViewTest::take),
                refusal("getQueue().poll(timeout)", ScheduledPoolViewTest::poll));
    }

    private static Arguments refusal(String name, Consumer<ScheduledThreadPoolExecutor> call) {
        return argumentSet(name, name, call);
    }

    private static void put(ScheduledThreadPoolExecutor pool) {
        try {
            pool.getQueue().put(() -> {});
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    private static void take(ScheduledThreadPoolExecutor pool) {
        try {
            pool.getQueue().take();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    private static void poll(ScheduledThreadPoolExecutor pool) {
        try {
            pool.getQueue().poll(1, MILLISECONDS);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void meaninglessSettingsAreRefused(String name, Consumer<ScheduledThreadPoolExecutor> call) {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .as(name)
                .isThrownBy(() -> call.accept(pool()))
                .withMessageMatching(".*(must|none can).*");
        assertThat(pool().getPoolSize()).isZero();
    }

    @Test
    void settingsWithAMeaningAreMapped() {
        scheduler.setPoolSize(7);
        scheduler.setWorkerKeepAlive(Duration.ofSeconds(3));
        scheduler.setMaxPending(10);
        ScheduledThreadPoolExecutor pool = pool();
        assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
        assertThat(pool.getCorePoolSize()).isEqualTo(2);
        assertThat(pool.getKeepAliveTime(MILLISECONDS)).isEqualTo(3_000);
        assertThat(pool.allowsCoreThreadTimeOut()).isFalse();
        assertThat(pool.getQueue().remainingCapacity()).isEqualTo(10);
        assertThat(pool.prestartCoreThread()).isFalse();
        assertThat(pool.prestartAllCoreThreads()).isZero();
        pool.allowCoreThreadTimeOut(false);
        pool.setRemoveOnCancelPolicy(true);
        pool.setMaximumPoolSize(9);
        assertThat(scheduler.getWheelScheduledExecutor().maxWorkers()).isEqualTo(9);
        assertThat(pool.getPoolSize()).isZero();
    }

    @Test
    void largestPoolSizeOutlivesTheWorkers() {
        scheduler.setWorkerKeepAlive(Duration.ofMillis(1));
        Gate gate = new Gate();
        for (int i = 0; i < 5; i++) {
            pool().execute(gate);
        }
        gate.awaitArrivals(5);
        gate.open();
        awaitThat(() -> pool().getPoolSize() <= 2);
        // The free worker beside them may end and be followed by another one while it is still counted.
        assertThat(pool().getLargestPoolSize()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void futuresOfTasksWithAnIdAreThoseThatWereReturned() {
        ScheduledThreadPoolExecutor pool = pool();
        ScheduledFuture<?> cron =
                scheduler.schedule(() -> {}, context -> Instant.now().plus(HOUR));
        ScheduledFuture<?> named =
                scheduler.getTaskRegistry().schedule("named", () -> {}, TaskSchedule.fixedDelay(HOUR));
        awaitThat(() -> scheduler.getTaskRegistry().get("named").runs() == 1
                && pool.getQueue().size() == 2);
        assertThat(pool.getQueue()).allMatch(List.of(cron, named)::contains);
        assertThat(pool.getQueue()).allMatch(each -> ((RunnableScheduledFuture<?>) each).isPeriodic());
        assertThat(pool.remove((Runnable) named)).isTrue();
        assertThat(scheduler.getTaskRegistry().find("named")).isEmpty();
        assertThat(named.isDone()).isFalse();
        scheduler.getTaskRegistry().schedule("named", () -> {}, TaskSchedule.fixedDelay(HOUR));
        assertThat(named.cancel(false)).isTrue();
        assertThat(scheduler.getTaskRegistry().find("named")).isPresent();
    }

    /** A walk for each would take hours. */
    @Test
    void sizeOfTheQueueIsACount() {
        ScheduledThreadPoolExecutor pool = pool();
        int pending = 100_000;
        for (int i = 0; i < pending; i++) {
            pool.schedule(() -> {}, 1, HOURS);
        }
        long sum = 0;
        for (int i = 0; i < pending; i++) {
            sum += pool.getQueue().size();
        }
        assertThat(sum).isEqualTo((long) pending * pending);
        pool.shutdownNow();
    }

    @Test
    void hooksAreCalledOnceForEachRun() {
        AtomicInteger before = new AtomicInteger();
        AtomicInteger after = new AtomicInteger();
        scheduler = new WheelTaskScheduler() {
            @Override
            protected void beforeExecute(Thread thread, Runnable task) {
                before.incrementAndGet();
            }

            @Override
            protected void afterExecute(Runnable task, @Nullable Throwable ex) {
                after.incrementAndGet();
            }
        };
        AtomicInteger runs = new AtomicInteger();
        pool().execute(runs::incrementAndGet);
        pool().schedule(runs::incrementAndGet, 1, MILLISECONDS);
        awaitThat(() -> after.get() == 2);
        assertThat(before).hasValue(2);
        assertThat(runs).hasValue(2);
    }

    @Test
    void anotherInitializationHasAnotherPool() {
        ScheduledThreadPoolExecutor first = pool();
        scheduler.shutdown();
        assertThat(scheduler.getScheduledThreadPoolExecutor()).isSameAs(first);
        scheduler.initialize();
        ScheduledThreadPoolExecutor second = scheduler.getScheduledThreadPoolExecutor();
        assertThat(second).isNotSameAs(first);
        assertThat(second.isShutdown()).isFalse();
        assertThat(first.isTerminated()).isTrue();
    }

    @Test
    void poolKeepsNothingAlive() {
        WeakReference<ScheduledThreadPoolExecutor> pool = new WeakReference<>(pool());
        WeakReference<WheelTaskScheduler> closed = new WeakReference<>(scheduler);
        awaitThat(scheduler.submit(() -> {})::isDone);
        scheduler.shutdown();
        awaitThat(() -> scheduler.getWheelScheduledExecutor().isTerminated());
        scheduler = new WheelTaskScheduler();
        awaitThat(() -> {
            System.gc();
            return pool.get() == null && closed.get() == null;
        });
    }

    @Test
    void poolIsNotTheExecutorThatIsShutDown() {
        assertThat(pool()).isNotSameAs(scheduler.getScheduledExecutor());
        assertThat(scheduler.getScheduledExecutor()).isSameAs(scheduler.getWheelScheduledExecutor());
    }

    @Test
    void noThreadComesOfAnyCall() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        ScheduledThreadPoolExecutor pool = pool();
        pool.setMaximumPoolSize(20);
        pool.prestartAllCoreThreads();
        List<Future<?>> futures = new ArrayList<>();
        futures.add(pool.schedule(() -> {}, 1, HOURS));
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName)
                .allMatch(name -> name.startsWith(scheduler.getThreadNamePrefix() + "tick"));
        assertThatIllegalStateException().isThrownBy(new WheelTaskScheduler()::getScheduledThreadPoolExecutor);
        assertThat(futures).hasSize(1);
    }
}
