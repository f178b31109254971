package io.github.wheelscheduler.spring;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.testing.Patience;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardOldestPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.task.TaskRejectedException;

/** Handlers that were written for a thread pool decide about tasks of the wheel, and none can break it. */
class RejectionHandlersTest {

    private static final int MAX_PENDING = 2;

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final List<Future<?>> accepted = new ArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    /** What a handler may do with a task that is not due yet. */
    enum Handler {
        ABORT,
        DISCARD,
        DISCARD_OLDEST,
        CALLER_RUNS,
        PUT,
        OFFER,
        EXECUTE;

        RejectedExecutionHandler create() {
            return switch (this) {
                case ABORT -> new AbortPolicy();
                case DISCARD -> new DiscardPolicy();
                case DISCARD_OLDEST -> new DiscardOldestPolicy();
                case CALLER_RUNS -> new CallerRunsPolicy();
                case PUT -> Handler::putIntoQueue;
                case OFFER ->
                    (task, pool) -> assertThat(pool.getQueue().offer(task)).isTrue();
                case EXECUTE -> (task, pool) -> pool.execute(task);
            };
        }

        private static void putIntoQueue(Runnable task, ThreadPoolExecutor pool) {
            try {
                pool.getQueue().put(task);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }

        boolean throwsWhenFull() {
            return this != DISCARD;
        }

        /** Handlers that ask first whether the pool has been shut down drop the task then. */
        boolean throwsAfterShutdown() {
            return this != DISCARD && this != DISCARD_OLDEST && this != CALLER_RUNS;
        }
    }

    enum Task {
        ONE_TIME {
            @Override
            Future<?> start(WheelTaskScheduler scheduler, Runnable task) {
                return scheduler.schedule(task, Instant.now().plusSeconds(3_600));
            }
        },
        FIXED_RATE {
            @Override
            Future<?> start(WheelTaskScheduler scheduler, Runnable task) {
                return scheduler.scheduleAtFixedRate(task, Instant.now().plusSeconds(3_600), Duration.ofHours(1));
            }
        },
        FIXED_DELAY {
            @Override
            Future<?> start(WheelTaskScheduler scheduler, Runnable task) {
                return scheduler.scheduleWithFixedDelay(task, Instant.now().plusSeconds(3_600), Duration.ofHours(1));
            }
        },
        TRIGGER {
            @Override
            Future<?> start(WheelTaskScheduler scheduler, Runnable task) {
                return scheduler.schedule(task, context -> Instant.now().plusSeconds(3_600));
            }
        };

        abstract Future<?> start(WheelTaskScheduler scheduler, Runnable task);
    }

    static Stream<Arguments> handlersAndTasks() {
        return Stream.of(Handler.values())
                .flatMap(handler -> Stream.of(Task.values()).map(task -> Arguments.of(handler, task)));
    }

    @ParameterizedTest
    @MethodSource("handlersAndTasks")
    void handlerDecidesAboutATaskForWhichThereIsNoRoom(Handler handler, Task task) {
        initialize(handler.create());
        fill();
        checkRejection(task, handler.throwsWhenFull());
        assertThat(permits()).isEqualTo(MAX_PENDING);
        assertThat(accepted).noneMatch(Future::isDone);

        assertThat(accepted).allMatch(future -> future.cancel(false));
        assertThat(permits()).isZero();
        // All places are free again.
        accepted.clear();
        fill();
        assertThat(accepted).noneMatch(Future::isDone);
        assertThat(ran).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("handlersAndTasks")
    void handlerDecidesAboutATaskThatComesAfterShutdown(Handler handler, Task task) {
        initialize(handler.create());
        fill();
        scheduler.shutdown();
        checkRejection(task, handler.throwsAfterShutdown());
        assertThat(permits()).isZero();
        Patience.awaitThat(() -> scheduler.getWheelScheduledExecutor().isTerminated());
        assertThat(ran).hasValue(0);
    }

    @Test
    void callerRunsATaskThatIsDue() throws Exception {
        initialize(new CallerRunsPolicy());
        fill();
        Future<Thread> runner = scheduler.submit(Thread::currentThread);
        assertThat(runner.isDone()).isTrue();
        assertThat(runner.get(0, SECONDS)).isSameAs(Thread.currentThread());
        assertThat(permits()).isEqualTo(MAX_PENDING);
    }

    @ParameterizedTest
    @EnumSource
    void handlerSeesTheQueueAndTheStateOfTheWheel(Task task) {
        List<String> seen = new ArrayList<>();
        initialize((rejected, pool) -> {
            seen.add(pool.toString());
            assertThat(pool.getQueue()).hasSize(MAX_PENDING).containsAll(runnables(accepted));
            assertThat(pool.isShutdown()).isFalse();
            assertThat(pool.getActiveCount()).isZero();
        });
        fill();
        Future<?> unscheduled = task.start(scheduler, ran::incrementAndGet);
        assertThat(seen).singleElement().asString().contains("queued tasks = " + MAX_PENDING);
        // What can never run any more is cancelled already.
        assertThat(unscheduled.isCancelled() || unscheduled.cancel(false)).isTrue();
        assertThat(permits()).isEqualTo(MAX_PENDING);
    }

    private static List<Runnable> runnables(List<? extends Future<?>> futures) {
        return futures.stream().map(Runnable.class::cast).toList();
    }

    private void checkRejection(Task task, boolean expectsException) {
        if (expectsException) {
            assertThatExceptionOfType(TaskRejectedException.class)
                    .isThrownBy(() -> task.start(scheduler, ran::incrementAndGet));
        } else {
            Future<?> dropped = task.start(scheduler, ran::incrementAndGet);
            assertThat(dropped.isDone()).isEqualTo(dropped.isCancelled());
        }
    }

    private void initialize(RejectedExecutionHandler handler) {
        scheduler.setMaxPending(MAX_PENDING);
        scheduler.setRejectedExecutionHandler(handler);
        scheduler.initialize();
    }

    private void fill() {
        accepted.add(Task.ONE_TIME.start(scheduler, ran::incrementAndGet));
        accepted.add(Task.FIXED_RATE.start(scheduler, ran::incrementAndGet));
    }

    private long permits() {
        return scheduler.getWheelScheduledExecutor().pendingCount();
    }
}
