package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A verb does not wait without end for runs each of which ends soon. */
@ExtendWith(VirtualTimeExtension.class)
class PatienceAsAWholeTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void fixedDelayWhoseRunSleepsIsNamed(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule(
                        "sleeper",
                        () -> LockSupport.parkNanos(Duration.ofMillis(100).toNanos()),
                        TaskSchedule.fixedDelay(Duration.ofSeconds(1)));
        time.setPatience(Duration.ofSeconds(1));
        long startNanos = System.nanoTime();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceBy(HOUR))
                .withMessageContaining("sleeper")
                .withMessageContaining("sleep or wait")
                .withMessageContaining(" in all, more than 1 s since");
        assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(60));
        // Each verb has a patience of its own.
        time.setPatience(Duration.ofSeconds(30));
        time.advanceBy(Duration.ofSeconds(3));
    }

    @Test
    void lookHasAPatienceOfItsOwn(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        Runnable sleep = () -> LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        ScheduledFuture<?> ignored =
                scheduler.getTaskRegistry().schedule("sleeper", sleep, TaskSchedule.fixedDelay(HOUR));
        time.setPatience(Duration.ofSeconds(2));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceBy(HOUR.multipliedBy(1_000)))
                .withMessageContaining("sleep or wait");
        scheduler.execute(sleep);
        assertThat(time.nextDue()).isPresent();
    }

    @Test
    void runThatExecutesItselfAgainIsNamed(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        AtomicBoolean isOver = new AtomicBoolean();
        record Chain(WheelTaskScheduler scheduler, AtomicBoolean isOver) implements Runnable, NamedTask {
            @Override
            public void run() {
                if (!isOver.get()) {
                    scheduler.execute(this);
                }
            }

            @Override
            public String taskName() {
                return "chain";
            }
        }
        time.setPatience(Duration.ofSeconds(1));
        scheduler.execute(new Chain(scheduler, isOver));
        try {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> time.advanceBy(HOUR))
                    .withMessageContaining("chain")
                    .withMessageContaining("repeat endlessly");
        } finally {
            isOver.set(true);
        }
        time.setPatience(Duration.ofSeconds(30));
        time.advanceBy(HOUR);
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(HOUR));
    }
}
