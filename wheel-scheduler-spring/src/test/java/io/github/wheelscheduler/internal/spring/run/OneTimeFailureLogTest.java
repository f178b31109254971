package io.github.wheelscheduler.internal.spring.run;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.LogCapture;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.TaskUtils;

/** What the log is told of tasks that run once and fail. */
class OneTimeFailureLogTest {

    private static final int TASKS = 2_000;

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final LogCapture log = LogCapture.ofPackage(TaskUtils.class);

    @AfterEach
    void close() {
        scheduler.shutdown();
        log.close();
    }

    private static void fail() {
        throw new IllegalStateException("meant");
    }

    private static void failOtherwise() {
        throw new IllegalArgumentException("meant, too");
    }

    @Test
    void failuresAreLoggedOncePerKindAndReachAllFutures() {
        scheduler.initialize();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            futures.add(scheduler.submit(OneTimeFailureLogTest::fail));
            futures.add(scheduler.schedule(
                    OneTimeFailureLogTest::failOtherwise, scheduler.getClock().instant()));
        }
        for (int i = 0; i < futures.size(); i++) {
            assertThatThrownBy(futures.get(i)::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(i % 2 == 0 ? IllegalStateException.class : IllegalArgumentException.class);
        }
        assertThat(scheduler.getFailedRuns()).isEqualTo(2 * TASKS);
        // The two kinds, and a line a minute.
        assertThat(log.messages()).hasSizeBetween(2, 4);
        assertThat(log.messages())
                .filteredOn(text -> text.startsWith("Unexpected error"))
                .hasSize(2);
    }

    @Test
    void handlerOfTheUsersHearsEveryFailure() {
        AtomicLong heard = new AtomicLong();
        scheduler.setErrorHandler(failure -> heard.incrementAndGet());
        scheduler.initialize();
        for (int i = 0; i < TASKS; i++) {
            scheduler.execute(OneTimeFailureLogTest::fail);
        }
        awaitThat(() -> heard.get() == TASKS);
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void failuresOfKnownKindsAreSummedUpOnceAMinute() {
        AtomicLong clock = new AtomicLong();
        OneTimeFailureLog failures = new OneTimeFailureLog(new LogTime(clock::get, summary -> {}, runnable -> {
            throw new OutOfMemoryError("meant");
        }));
        Runnable task = OneTimeFailureLogTest::fail;
        for (int i = 0; i < 5; i++) {
            failures.log(task, new IllegalStateException());
        }
        clock.addAndGet(Duration.ofSeconds(61).toNanos());
        failures.log(task, new IllegalStateException());
        failures.log(task, new IllegalStateException());
        assertThat(log.messages()).hasSize(2);
        assertThat(log.messages().get(1))
                .startsWith("One-time tasks have failed 5 more times")
                .endsWith("with java.lang.IllegalStateException");
    }

    @Test
    void noMoreThanAThousandKindsAreRemembered() {
        OneTimeFailureLog failures = new OneTimeFailureLog(new LogTime(() -> 0, summary -> {}, Thread::new));
        for (int i = 0; i < 1_500; i++) {
            failures.log(newKindOfTask(), new IllegalStateException());
        }
        assertThat(log.messages()).hasSize(1_000);
        failures.log(OneTimeFailureLogTest::fail, new IllegalStateException());
        failures.sumUp();
        assertThat(log.messages()).hasSize(1_001);
        assertThat(log.messages().get(1_000))
                .startsWith("One-time tasks have failed 501 more times; 501 have no stack trace in the log, as only "
                        + "the first 1000 pairs of task class and exception class get one. ");
    }

    @Test
    void burstThatStopsIsSummedUpAMinuteAfterTheFirst() {
        AtomicLong passedNanos = new AtomicLong();
        OneTimeFailureLog failures = new OneTimeFailureLog(
                new LogTime(() -> System.nanoTime() + passedNanos.get(), summary -> {}, Thread::new));
        Runnable task = OneTimeFailureLogTest::fail;
        failures.log(task, new IllegalStateException());
        passedNanos.addAndGet(Duration.ofMillis(59_900).toNanos());
        for (int i = 0; i < TASKS; i++) {
            failures.log(task, new IllegalStateException());
        }
        awaitThat(() -> log.messages().size() == 2);
        assertThat(log.messages().get(1))
                .startsWith("One-time tasks have failed 2000 more times; the log has a stack trace of each");
    }

    @Test
    void burstThatStopsIsSummedUpWhenTheSchedulerIsClosed() {
        scheduler.initialize();
        for (int i = 0; i < TASKS; i++) {
            scheduler.execute(OneTimeFailureLogTest::fail);
        }
        awaitThat(() -> scheduler.getFailedRuns() == TASKS);
        awaitThat(() -> scheduler.getActiveCount() == 0);
        scheduler.shutdown();
        assertThat(log.messages()).hasSize(2);
        assertThat(log.messages().get(1)).startsWith("One-time tasks have failed 1999 more times");
    }

    private static Runnable newKindOfTask() {
        return (Runnable) Proxy.newProxyInstance(
                new ClassLoader(OneTimeFailureLogTest.class.getClassLoader()) {},
                new Class<?>[] {Runnable.class},
                (proxy, method, arguments) -> null);
    }
}
