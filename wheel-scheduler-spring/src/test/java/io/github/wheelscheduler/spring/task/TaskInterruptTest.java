package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Interrupting runs that go on, and looking at their stacks. */
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class TaskInterruptTest extends RegistryFixture {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration OFTEN = Duration.ofNanos(50_000);
    private static final String ID = "task";

    @Test
    void interruptedRunEndsAndTheNextOnesTakePlace() {
        Gate gate = new Gate();
        registry.schedule(ID, gate, TaskSchedule.fixedDelay(Duration.ofMillis(1)));
        gate.awaitArrivals(1);
        assertThat(registry.interrupt(ID)).isEqualTo(1);
        gate.awaitArrivals(2);
        assertThat(gate.interrupts()).isEqualTo(1);
        assertThat(registry.get(ID).runs()).isEqualTo(1);
        gate.open();
        awaitThat(() -> registry.get(ID).runs() > 2);
        assertThat(gate.interrupts()).isEqualTo(1);
    }

    @Test
    void runThatIgnoresAnInterruptCanBeInterruptedOnceMore() {
        Gate first = new Gate();
        Gate second = new Gate();
        registry.schedule(
                ID,
                () -> {
                    first.run();
                    second.run();
                },
                TaskSchedule.fixedRate(HOUR));
        first.awaitArrivals(1);
        assertThat(registry.interrupt(ID)).isEqualTo(1);
        second.awaitArrivals(1);
        assertThat(registry.interrupt(ID)).isEqualTo(1);
        awaitThat(() -> registry.get(ID).runs() == 1);
        assertThat(second.interrupts()).isEqualTo(1);
    }

    @Test
    void onlyARunThatGoesOnIsInterrupted() {
        registry.schedule(ID, () -> {}, TaskSchedule.once(Instant.now().plus(HOUR)));
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.interrupt(ID))
                .withMessage("The task must be running to be interrupted: task");
        assertThatExceptionOfType(UnknownTaskException.class).isThrownBy(() -> registry.interrupt("other"));
        assertThat(registry.stacks(ID)).isEmpty();
    }

    @Test
    void stackIsThatOfTheRun() {
        Gate gate = new Gate();
        registry.schedule(ID, gate, TaskSchedule.fixedRate(HOUR));
        gate.awaitArrivals(1);
        awaitThat(() -> registry.stacks(ID).stream().anyMatch(stack -> stack.state() == Thread.State.WAITING));
        List<TaskInfo.Stack> stacks = registry.stacks(ID);
        assertThat(stacks).hasSize(1);
        assertThat(stacks.get(0).thread()).startsWith(scheduler.getThreadNamePrefix());
        assertThat(stacks.get(0).trace())
                .startsWith("\tat ")
                .contains(Gate.class.getName() + ".run(Gate.java:")
                .hasSizeLessThanOrEqualTo(16_384);
        gate.open();
        awaitThat(() -> registry.stacks(ID).isEmpty());
    }

    @Test
    void veryDeepStackIsCut() {
        Gate gate = new Gate();
        registry.schedule(ID, () -> deep(1_000, gate), TaskSchedule.fixedRate(HOUR));
        gate.awaitArrivals(1);
        awaitThat(() -> registry.stacks(ID).stream().anyMatch(stack -> stack.state() == Thread.State.WAITING));
        assertThat(registry.stacks(ID).get(0).trace())
                .hasSizeBetween(15_000, 16_384)
                .contains(".deep(")
                .doesNotEndWith("\n");
        gate.open();
    }

    private static void deep(int frames, Runnable innermost) {
        if (frames == 0) {
            innermost.run();
        } else {
            deep(frames - 1, innermost);
        }
    }

    /** Two workers change places all the time, so that the thread of a run is that of another task a moment later. */
    @Test
    void neitherInterruptNorStackEverMeetAnotherTask() {
        scheduler.setPoolSize(2);
        int enough = Scale.of(500, 3_000, 30_000);
        boolean goesOn = true;
        AtomicInteger strays = new AtomicInteger();
        AtomicInteger otherRuns = new AtomicInteger();
        registry.schedule(ID, TaskInterruptTest::meant, TaskSchedule.fixedDelay(OFTEN));
        for (int i = 0; i < 3; i++) {
            registry.schedule("other" + i, () -> notMeant(strays, otherRuns), TaskSchedule.fixedDelay(OFTEN));
        }
        int interrupted = 0;
        int looks = 0;
        while (goesOn) {
            try {
                interrupted += registry.interrupt(ID);
            } catch (IllegalStateException ex) {
                // Between two runs.
            }
            for (TaskInfo.Stack stack : registry.stacks(ID)) {
                looks++;
                assertThat(stack.trace()).doesNotContain("notMeant");
            }
            if (strays.get() > 0 || (interrupted > enough && looks > enough / 10 && otherRuns.get() > enough)) {
                goesOn = false;
            }
        }
        assertThat(strays).hasValue(0);
    }

    private static void meant() {
        LockSupport.parkNanos(20_000);
    }

    private static void notMeant(AtomicInteger strays, AtomicInteger otherRuns) {
        boolean before = Thread.interrupted();
        LockSupport.parkNanos(5_000);
        if (before || Thread.interrupted()) {
            strays.incrementAndGet();
        }
        otherRuns.incrementAndGet();
    }
}
