package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that steers a task asks no factory and no clock of the user's under a lock that others need to steer it. */
class SteeringUnderNoLockTest {

    private static final String ID = "task";
    private static final TaskSchedule RATE = TaskSchedule.fixedRate(Duration.ofHours(1));
    private static final TaskSchedule CRON = TaskSchedule.cron("0 0 5 1 1 *");
    private static final TaskSettings DISABLED =
            TaskSettings.builder().enabled(false).build();

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    /** Steers the task, and is not in a call of the user's code. */
    private volatile @Nullable Thread steering;

    @AfterEach
    void end() {
        steering = null;
        scheduler.shutdown();
        other.shutdownNow();
    }

    /** The user's code: another thread steers the same task meanwhile. */
    private void call() {
        Thread own = Thread.currentThread();
        if (steering != own) {
            return;
        }
        steering = null;
        calls.incrementAndGet();
        Future<?> steers = other.submit(() -> registry.resume(ID));
        try {
            Object ignored = steers.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException ex) {
            // The only run is over.
            assertThat(ex).hasCauseInstanceOf(IllegalStateException.class);
        } catch (InterruptedException | TimeoutException ex) {
            throw new AssertionError("The other thread waits for a lock", ex);
        }
        steering = own;
    }

    private final class AskedClock extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            call();
            return Instant.now();
        }
    }

    private static TaskSchedule inAnHour() {
        return TaskSchedule.once(Instant.now().plus(Duration.ofHours(1)));
    }

    /** A task as it is, and what a thread does to it. */
    @SuppressWarnings("ImmutableEnumChecker")
    enum Steering {
        TRIGGER_OF_DISABLED_TASK(DISABLED, inAnHour()),
        RETIMING_OF_DISABLED_TASK(DISABLED, inAnHour()),
        ENABLING(DISABLED, RATE),
        TRIGGER(TaskSettings.NONE, inAnHour()),
        TRIGGER_OF_HELD_TASK(TaskSettings.NONE, TaskSchedule.once(Instant.EPOCH)),
        RESUMING_OF_HELD_TASK(TaskSettings.NONE, TaskSchedule.once(Instant.EPOCH)),
        TRIGGER_OF_RATE(TaskSettings.NONE, RATE),
        RETIMING(TaskSettings.NONE, RATE),
        RETIMING_TO_CRON(TaskSettings.NONE, RATE),
        RESET(TaskSettings.NONE, RATE);

        private final TaskSettings settings;
        private final TaskSchedule schedule;

        Steering(TaskSettings settings, TaskSchedule schedule) {
            this.settings = settings;
            this.schedule = schedule;
        }

        private void of(TaskRegistry registry) {
            switch (this) {
                case TRIGGER_OF_DISABLED_TASK, TRIGGER, TRIGGER_OF_HELD_TASK, TRIGGER_OF_RATE -> registry.trigger(ID);
                case ENABLING, RESUMING_OF_HELD_TASK -> registry.resume(ID);
                case RETIMING_OF_DISABLED_TASK, RETIMING ->
                    registry.retime(ID, TaskSchedule.fixedRate(Duration.ofMinutes(1)));
                case RETIMING_TO_CRON -> registry.retime(ID, CRON);
                case RESET -> registry.reset(ID);
            }
        }
    }

    private void schedule(Steering how) {
        boolean isHeld = how == Steering.TRIGGER_OF_HELD_TASK || how == Steering.RESUMING_OF_HELD_TASK;
        Future<?> future =
                registry.schedule(ID, runs::incrementAndGet, isHeld ? inAnHour() : how.schedule, how.settings);
        assertThat(future.isDone()).isFalse();
        if (isHeld) {
            registry.pause(ID);
            registry.retime(ID, how.schedule);
            awaitThat(() -> registry.get(ID).skips() > 0);
        } else if (how == Steering.TRIGGER_OF_RATE) {
            awaitThat(() -> runs.get() == 1 && registry.get(ID).state() == TaskInfo.State.PENDING);
        } else if (how == Steering.RESET) {
            registry.retime(ID, CRON);
        }
    }

    @ParameterizedTest
    @EnumSource
    void userCodeIsCalledUnderNoLock(Steering how) {
        scheduler.setThreadFactory(task -> {
            call();
            return new Thread(task);
        });
        scheduler.setClock(new AskedClock());
        scheduler.setTimeSource(new TimeSource() {
            @Override
            public long nanoTime() {
                call();
                return super.nanoTime();
            }
        });
        scheduler.initialize();
        schedule(how);
        int before = runs.get();
        steering = Thread.currentThread();
        try {
            how.of(registry);
        } catch (IllegalStateException ex) {
            // The other thread was faster, and the only run is over.
            assertThat(ex).hasMessageContaining("must not");
            assertThat(how.schedule).isInstanceOf(TaskSchedule.Once.class);
        }
        steering = null;
        assertThat(calls).hasPositiveValue();
        if (how.name().startsWith("TRIGGER") || how == Steering.RESUMING_OF_HELD_TASK) {
            awaitThat(() -> runs.get() == before + 1);
        }
    }
}
