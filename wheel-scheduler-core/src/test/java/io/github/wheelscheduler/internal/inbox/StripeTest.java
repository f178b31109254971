package io.github.wheelscheduler.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.testing.Scale;
import org.junit.jupiter.api.Test;

/** A caller at the end of its stack leaves a queue as it was. */
class StripeTest {

    private static final int ROUNDS = Scale.of(6, 20, 60);
    private static final int CALLS_NEAR_THE_END = 1_000;
    private static final long PATIENCE_MILLIS = 30_000;

    /** Then everything has been compiled. */
    private static final int WARM_UP = 60_000;

    /** So small that nearly every message needs another chunk. */
    private final Stripe<Object> stripe = new Stripe<>(2);

    private int callsLeft;
    private long accepted;
    private long failed;

    @Test
    void noThreadLeavesItInTheMiddleOfAddingAChunk() throws InterruptedException {
        for (int i = 0; i < WARM_UP; i++) {
            post();
            assertThat(stripe.relaxedPoll()).isSameAs(this);
        }
        for (int round = 0; round < ROUNDS; round++) {
            // Stacks of different sizes end at different places of the code.
            Thread caller = new Thread(null, this::goDown, "caller", 256 * 1024 + 112L * round);
            caller.setDaemon(true);
            caller.start();
            caller.join(PATIENCE_MILLIS);
            assertThat(caller.isAlive()).as("caller that cannot post").isFalse();
        }
        assertThat(failed).isPositive();
        assertThat(stripe.waiting()).isEqualTo(accepted);
        while (stripe.relaxedPoll() != null) {
            accepted--;
        }
        assertThat(accepted).isZero();
        assertThat(stripe.isDrained()).isTrue();
    }

    /** As a call of the executor does it. */
    private void post() {
        StackReserve.ask();
        stripe.offer(this);
    }

    /** Goes to the end of the stack, and posts from each of the last frames on the way back. */
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
                post();
                accepted++;
            } catch (StackOverflowError ex) {
                failed++;
            }
        }
    }
}
