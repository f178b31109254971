package io.github.wheelscheduler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Asks for stack from all places near its end. */
class StackReserveTest {

    private static final int ROUNDS = 2;
    private static final int CALLS_NEAR_THE_END = 1_000;

    /** Then everything has been compiled. */
    private static final int WARM_UP = 60_000;

    private int callsLeft;
    private int refused;
    private int refusedMore;

    @Test
    void asksForTwiceAsMuchAlsoWhenCompiled() throws InterruptedException {
        for (int i = 0; i < WARM_UP; i++) {
            StackReserve.ask();
            StackReserve.askForMore();
        }
        for (int round = 0; round < ROUNDS; round++) {
            Thread caller = new Thread(null, this::goDown, "caller", 256 * 1024 + 112L * round);
            caller.start();
            caller.join();
        }
        assertThat(refused).isPositive();
        // Not exactly: the machine checks whole pages, and a frame that called has needed some of the stack itself.
        assertThat(refusedMore)
                .as("calls refused that ask for 16 kB, and %d for 8 kB", refused)
                .isGreaterThan(refused * 3 / 2);
    }

    /** Goes to the end of the stack, and asks from each of the last frames on the way back. */
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
                StackReserve.ask();
            } catch (StackOverflowError ex) {
                refused++;
            }
            try {
                StackReserve.askForMore();
            } catch (StackOverflowError ex) {
                refusedMore++;
            }
        }
    }
}
