package io.github.wheelscheduler.spring.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.Trigger;

/** A task that is over is released, while its future and what is known of it stay. */
class ReleasedTasksTest extends RegistryFixture {

    private static final Duration HOUR = Duration.ofHours(1);

    private static class Body implements Runnable {
        @Override
        public void run() {}
    }

    private static final class Named extends Body implements NamedTask {
        @Override
        public String taskName() {
            return "named";
        }
    }

    private static void awaitCollected(WeakReference<?> watched) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return watched.refersTo(null);
        });
    }

    @Test
    void cancelledTaskIsReleasedThoughItsFutureIsKept() {
        Body body = new Body();
        WeakReference<Body> watched = new WeakReference<>(body);
        ScheduledFuture<?> future =
                scheduler.scheduleAtFixedRate(body, Instant.now().plus(HOUR), HOUR);
        body = null;
        assertThat(future.cancel(false)).isTrue();
        awaitCollected(watched);
        assertThat(future.isCancelled()).isTrue();
    }

    @Test
    void shutdownReleasesTasksWhoseFuturesAreKept() {
        Body body = new Body();
        WeakReference<Body> watched = new WeakReference<>(body);
        ScheduledFuture<?> future =
                scheduler.scheduleAtFixedRate(body, Instant.now().plus(HOUR), HOUR);
        body = null;
        scheduler.shutdown();
        awaitCollected(watched);
        assertThat(future.isCancelled()).isTrue();
    }

    @Test
    void refusedOnlyRunReleasesItsTask() throws InterruptedException {
        WheelTaskScheduler group = new WheelTaskScheduler();
        group.setGroupOf(scheduler, "reports", 0, OnFull.REJECT);
        group.setPoolSize(1);
        group.initialize();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        group.execute(blocking(new Body(), started, end));
        started.await();
        Named body = new Named();
        WeakReference<Named> watched = new WeakReference<>(body);
        ScheduledFuture<?> future = group.getTaskRegistry()
                .schedule("once", body, TaskSchedule.once(Instant.now().plusMillis(1)));
        body = null;
        awaitCollected(watched);
        end.countDown();
        group.shutdown();
        assertThat(future.isDone()).isTrue();
    }

    @Test
    void taskThatIsCancelledInItsRunIsReleasedAfterIt() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Body captured = new Body();
        WeakReference<Body> watched = new WeakReference<>(captured);
        ScheduledFuture<?> future = scheduler.scheduleAtFixedRate(blocking(captured, started, end), HOUR);
        captured = null;
        started.await();
        assertThat(future.cancel(false)).isTrue();
        end.countDown();
        awaitCollected(watched);
    }

    private static Runnable blocking(Body body, CountDownLatch started, CountDownLatch end) {
        return () -> {
            started.countDown();
            try {
                end.await();
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
            body.run();
        };
    }

    @Test
    void onlyRunLetsItsTaskGoAndStaysVisible() throws Exception {
        Named body = new Named();
        WeakReference<Named> watched = new WeakReference<>(body);
        ScheduledFuture<?> future = registry.schedule("once", body, TaskSchedule.once(Instant.now()));
        body = null;
        future.get();
        awaitCollected(watched);
        assertThat(registry.get("once").runs()).isOne();
        assertThat(registry.sortOf("once"))
                .hasValueSatisfying(sort -> assertThat(sort.named()).isTrue());
        assertThatIllegalStateException().isThrownBy(() -> registry.retime("once", TaskSchedule.fixedRate(HOUR)));
    }

    @Test
    void triggerWithoutANextRunLetsItsTaskGo() throws Exception {
        Body body = new Body();
        WeakReference<Body> watched = new WeakReference<>(body);
        Trigger once = context -> context.lastCompletion() == null ? Instant.now() : null;
        ScheduledFuture<?> future = scheduler.schedule(body, once);
        body = null;
        Objects.requireNonNull(future).get();
        awaitCollected(watched);
    }

    @Test
    void rateThatEndsWithItsFailureLetsItsTaskGo() {
        Body captured = new Body();
        WeakReference<Body> watched = new WeakReference<>(captured);
        scheduler.setErrorHandler(failure -> {
            throw new IllegalStateException(failure);
        });
        ScheduledFuture<?> future = scheduler.scheduleAtFixedRate(failing(captured), HOUR);
        captured = null;
        await().until(future::isDone);
        awaitCollected(watched);
    }

    private static Runnable failing(Body body) {
        return () -> {
            body.run();
            throw new IllegalArgumentException("as it should");
        };
    }

    @Test
    void taskThatIsRetimedInItsOnlyRunRunsAgain() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch again = new CountDownLatch(2);
        ScheduledFuture<?> ignored = registry.schedule(
                "once",
                () -> {
                    if (runs.incrementAndGet() == 1) {
                        registry.retime("once", TaskSchedule.fixedRate(Duration.ofMillis(1)));
                    }
                    again.countDown();
                },
                TaskSchedule.once(Instant.now()));
        again.await();
        assertThat(registry.find("once")).isPresent();
    }

    @Test
    void repeatingTaskThatRanOnceCanBeResetAgain() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> ignored =
                registry.schedule("rate", runs::incrementAndGet, TaskSchedule.fixedDelay(Duration.ofMillis(1)));
        registry.retime("rate", TaskSchedule.once(Instant.now()));
        await().until(() -> registry.get("rate").state() == TaskInfo.State.OVER);
        int before = runs.get();
        registry.reset("rate");
        await().until(() -> runs.get() > before);
    }

    @Test
    void cancelOfATaskThatIsOverRemovesItFromSight() throws Exception {
        ScheduledFuture<?> future = registry.schedule("once", new Body(), TaskSchedule.once(Instant.now()));
        future.get();
        assertThat(registry.ids()).containsExactly("once");
        assertThat(future.cancel(false)).isFalse();
        assertThat(registry.ids()).isEmpty();
    }
}
