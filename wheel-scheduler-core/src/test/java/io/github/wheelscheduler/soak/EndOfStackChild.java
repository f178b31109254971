package io.github.wheelscheduler.soak;

import static io.github.wheelscheduler.testing.Patience.awaitThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Schedules from every place near the end of a stack, again and again, and then asks whether tasks still run. With the name of a kind of
 * workers as its argument, after so many runs that everything has been compiled.
 */
final class EndOfStackChild {

    private static final int CALLS_NEAR_THE_END = 200;
    private static final int ROUNDS = 40;
    private static final int ROUNDS_COMPILED = 60;
    private static final int LONGEST_WAIT_SECONDS = 20;

    /** More than it takes until less stack is asked for. */
    private static final int RUNS_BEFORE = 60_000;

    private final AtomicInteger ran = new AtomicInteger();

    /** Made before, as making a lambda the first time takes much stack. */
    private final Counting counting = new Counting(ran);

    private final WheelScheduledExecutor executor;
    private boolean isDueNow;
    private int accepted;
    private int failures;
    private int callsLeft;

    private EndOfStackChild(WheelScheduledExecutor executor) {
        this.executor = executor;
    }

    public static void main(String[] args) throws Exception {
        int failures = args.length == 0 ? checkNewOnes() : checkCompiled(WorkerKind.valueOf(args[0]));
        System.out.println("> " + failures + " calls failed for want of stack, and harmed no other");
        System.exit(failures == 0 ? 2 : 0);
    }

    private static int checkNewOnes() throws Exception {
        int failures = 0;
        for (int round = 0; round < ROUNDS; round++) {
            EndOfStackChild child = new EndOfStackChild(
                    WheelScheduledExecutor.builder().maxWorkers(2).build());
            child.check(round);
            child.terminate();
            failures += child.failures;
        }
        return failures;
    }

    private static int checkCompiled(WorkerKind kind) throws Exception {
        EndOfStackChild child = new EndOfStackChild(
                kind.applyTo(WheelScheduledExecutor.builder()).build());
        for (int i = 0; i < RUNS_BEFORE; i++) {
            child.executor.execute(child.counting);
            child.accepted++;
        }
        child.awaitRuns();
        for (int round = 0; round < ROUNDS_COMPILED; round++) {
            child.check(round);
        }
        child.terminate();
        return child.failures;
    }

    private void check(int round) throws Exception {
        isDueNow = round % 2 == 0;
        int ignored = executor.submit(() -> 1).get();
        // Stacks of different sizes end at different places of the code.
        Thread caller = new Thread(null, this::goDown, "caller", 256 * 1024 + 112L * round);
        caller.start();
        caller.join();
        try {
            int one = executor.submit(() -> 1).get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            int two =
                    executor.schedule(() -> 2, one, TimeUnit.MILLISECONDS).get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            assert two == 2;
        } catch (TimeoutException ex) {
            System.out.println("tasks must go on after " + failures + " calls at the end of a stack: " + executor);
            System.exit(1);
        }
        awaitRuns();
    }

    /** Waits for the runs of all calls that did not fail. */
    private void awaitRuns() {
        awaitThat(() -> ran.get() >= accepted);
    }

    private void terminate() throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
            System.out.println("must terminate, pending = " + executor.pendingCount());
            System.exit(1);
        }
    }

    /** Goes to the end of the stack, and schedules from each of the last frames on the way back. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void goDown() {
        try {
            goDown();
        } catch (StackOverflowError ex) {
            callsLeft = CALLS_NEAR_THE_END;
        }
        if (callsLeft > 0) {
            callsLeft--;
            try {
                WheelTimer<?> ignored = executor.schedule(counting, isDueNow ? 0 : 1, TimeUnit.MILLISECONDS);
                accepted++;
            } catch (StackOverflowError ex) {
                failures++;
            }
        }
    }

    private record Counting(AtomicInteger ran) implements Runnable {
        @Override
        public void run() {
            ran.incrementAndGet();
        }
    }
}
