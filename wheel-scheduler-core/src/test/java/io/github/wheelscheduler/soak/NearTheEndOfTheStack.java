package io.github.wheelscheduler.soak;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/** Calls something from places near the end of a stack, and notes which of the calls have failed for that. */
public final class NearTheEndOfTheStack {

    private static final int FRAMES_NEAR_THE_END = 1_000;
    private static final int STEP = 4;

    /** So many calls there are. */
    public static final int CALLS = FRAMES_NEAR_THE_END / STEP;

    private final boolean[] refused = new boolean[CALLS];
    private IntConsumer call = i -> {};
    private int round;
    private int calls;
    private int framesLeft;
    private int failures;

    /** Begins a round, in which the stack is of another length. */
    public void begin(int next) {
        round = next;
    }

    /** Makes the calls, from 0 on. */
    public void call(IntConsumer next) throws InterruptedException {
        call = next;
        calls = 0;
        Arrays.fill(refused, false);
        Thread caller = new Thread(null, this::goDown, "caller", 256 * 1024 + 112L * round);
        caller.start();
        caller.join();
        failures += refusedCalls();
    }

    /** Goes to the end of the stack, and calls from some of the last frames on the way back. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void goDown() {
        try {
            goDown();
        } catch (StackOverflowError ex) {
            framesLeft = FRAMES_NEAR_THE_END;
        }
        if (framesLeft > 0 && framesLeft-- % STEP == round % STEP && calls < CALLS) {
            try {
                call.accept(calls);
            } catch (StackOverflowError ex) {
                refused[calls] = true;
            }
            calls++;
        }
    }

    /** Returns how many of the calls have failed. */
    public int refusedCalls() {
        int count = 0;
        for (boolean each : refused) {
            count += each ? 1 : 0;
        }
        return count;
    }

    /** Whether the call has failed. */
    public boolean isRefused(int number) {
        return refused[number];
    }

    /** Returns how many calls of all rounds have failed. */
    public int failures() {
        return failures;
    }

    public static void requireEach(IntPredicate condition, String rule) {
        for (int i = 0; i < CALLS; i++) {
            require(condition.test(i), rule + ", was not for " + i);
        }
    }

    public static void require(boolean condition, String rule) {
        if (!condition) {
            System.out.println(rule);
            System.exit(1);
        }
    }
}
