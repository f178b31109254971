package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Schedules from every place near the end of a stack, again and again, and then asks whether tasks still run. */
final class EndOfStackChild {

    private static final int CALLS_NEAR_THE_END = 200;
    private static final int ROUNDS = 40;
    private static final int LONGEST_WAIT_SECONDS = 20;

    /** Made before, as making a lambda the first time takes much stack. */
    private final Nothing nothing = new Nothing();

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().maxWorkers(2).build();
    private final boolean isDueNow;
    private int failures;
    private int callsLeft;

    private EndOfStackChild(boolean isDueNow) {
        this.isDueNow = isDueNow;
    }

    public static void main(String[] args) throws Exception {
        int failures = 0;
        for (int round = 0; round < ROUNDS; round++) {
            failures += new EndOfStackChild(round % 2 == 0).check(round);
        }
        System.out.println("> " + failures + " calls failed for want of stack, and harmed no other");
        System.exit(failures == 0 ? 2 : 0);
    }

    private int check(int round) throws Exception {
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
        executor.shutdown();
        if (!executor.awaitTermination(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
            System.out.println("must terminate, pending = " + executor.pendingCount());
            System.exit(1);
        }
        return failures;
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
                WheelTimer<?> ignored = executor.schedule(nothing, isDueNow ? 0 : 1, TimeUnit.MILLISECONDS);
            } catch (StackOverflowError ex) {
                failures++;
            }
        }
    }

    private record Nothing() implements Runnable {
        @Override
        public void run() {}
    }
}
