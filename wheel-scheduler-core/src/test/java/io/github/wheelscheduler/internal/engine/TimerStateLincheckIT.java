package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.testing.Scale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All interleavings of the moves of a timer's state, on the production classes. What the moves answer must be explained
 * by some order of them one after the other, where a run is one move; and in the end every life of a timer must have
 * been accounted for once.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class TimerStateLincheckIT {

    @Test
    void oneTimeTimerUnderTheModelChecker() {
        modelChecking().check(OneTimeMoves.class);
    }

    @Test
    void periodicTimerUnderTheModelChecker() {
        modelChecking().check(PeriodicMoves.class);
    }

    @Test
    void oneTimeTimerUnderStress() {
        stress().check(OneTimeMoves.class);
    }

    @Test
    void periodicTimerUnderStress() {
        stress().check(PeriodicMoves.class);
    }

    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .iterations(Scale.of(10, 200))
                .invocationsPerIteration(Scale.of(250, 10_000))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2);
    }

    private static StressOptions stress() {
        return new StressOptions()
                .iterations(Scale.of(10, 200))
                .invocationsPerIteration(Scale.of(1_000, 20_000))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2);
    }

    /** What can be done to a timer, and what the timer tells its owner. */
    @Param(name = "interrupts", gen = BooleanGen.class)
    @Param(name = "delay", gen = IntGen.class, conf = "0:2")
    public abstract static class Moves {

        static final long NOW = 1_000;

        final CountingOwner owner = new CountingOwner(NOW);
        final AtomicInteger runs = new AtomicInteger();

        abstract ScheduledTimer<?> timer();

        @Operation(nonParallelGroup = "tick thread")
        public boolean claim() {
            return timer().claim(NOW);
        }

        /** Says whether an interrupt has leaked. */
        @Operation(nonParallelGroup = "worker")
        public boolean runIfReady() {
            if (timer().state() == TimerWord.READY) {
                timer().run();
            }
            return Thread.interrupted();
        }

        @Operation
        public boolean cancel(@Param(name = "interrupts") boolean interrupts) {
            return timer().cancel(interrupts);
        }

        /** To a time that has come, that has just come, or that has not. */
        @Operation
        public boolean reschedule(@Param(name = "delay") int delay) {
            return timer().reschedule(delay * NOW, TimeUnit.NANOSECONDS);
        }

        /** Without an answer: whether it comes before a run that is going on or after it cannot be told. */
        @Operation(nonParallelGroup = "tick thread")
        public void giveBack() {
            if (timer().giveBack()) {
                owner.returned.incrementAndGet();
            }
        }

        @Operation
        public boolean isDone() {
            return timer().isDone();
        }

        @Operation
        public boolean isCancelled() {
            return timer().isCancelled();
        }
    }

    public static class OneTimeMoves extends Moves {

        private final ScheduledTimer<String> timer = new CallableTimer<>(
                owner,
                () -> {
                    runs.incrementAndGet();
                    return "result";
                },
                NOW);

        @Override
        ScheduledTimer<?> timer() {
            return timer;
        }

        @Validate
        public void accountedOnce() throws Exception {
            int state = timer.state();
            boolean isOver = timer.isDone();
            check(owner.started.get() == runs.get() || timer.isCancelled(), "started must be counted with the run");
            check(runs.get() <= 1, "must run once at most");
            check(owner.ending.get() <= 1, "the end must be told once");
            check(owner.ending.get() == 1 || state != TimerWord.DONE, "the end must be told before it comes");
            check(owner.cancelled() == (timer.isCancelled() ? 1 : 0), "the cancelling must be counted once");
            check(isOver || runs.get() == 0, "must be over after a run");
            if (owner.cancelledPending.get() > 0) {
                check(runs.get() == 0 && owner.started.get() == 0, "cancelled before the start must not run");
            }
            if (state == TimerWord.DONE) {
                check("result".equals(timer.get()), "the result must stay");
            } else {
                check((timer.task() == null) == isOver, "the task must be let go with the end, and not before");
            }
            check(state != TimerWord.INTERRUPTING, "an interrupt must not stay on its way");
        }
    }

    public static class PeriodicMoves extends Moves {

        private final PeriodicTimer timer = new PeriodicTimer(owner, runs::incrementAndGet, NOW, 10);

        @Override
        ScheduledTimer<?> timer() {
            return timer;
        }

        @Validate
        public void accountedOnce() {
            int state = timer.state();
            check(owner.ending.get() == 0, "only cancelling ends it");
            check(owner.cancelled() == (timer.isCancelled() ? 1 : 0), "the cancelling must be counted once");
            // Pending at first and after each re-arming; not any more with each start and with a cancelling before one.
            int pending = 1
                    + owner.repeated.get()
                    - owner.started.get()
                    - owner.cancelledPending.get()
                    - owner.returned.get();
            boolean isPending = state == TimerWord.ARMED || state == TimerWord.READY;
            check(state == TimerWord.RETURNED || pending == (isPending ? 1 : 0), "pending must be exact: " + pending);
            check(runs.get() <= owner.started.get(), "no run without a start");
            check((timer.task() == null) == timer.isDone(), "the task must be let go with the end, and not before");
            check(state != TimerWord.RUNNING, "nobody runs it any more");
            check(state != TimerWord.INTERRUPTING, "an interrupt must not stay on its way");
        }
    }

    private static void check(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError(rule);
        }
    }
}
