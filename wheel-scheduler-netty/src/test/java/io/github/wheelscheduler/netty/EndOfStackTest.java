package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static io.github.wheelscheduler.netty.TimerContract.NOTHING;
import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timeout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** A caller that has no stack left fails, and leaves nothing half done: no count, no place, no timeout. */
class EndOfStackTest {

    private static final int CALLS = 1_000;

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final WheelNettyTimer timer =
            WheelNettyTimer.builder(executor).maxPendingTimeouts(CALLS).build();
    private final List<Timeout> timeouts = new ArrayList<>(Collections.nCopies(CALLS, null));
    private int framesLeft;

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    /** Makes the calls from the last frames of a stack, and returns how many of them have failed. */
    private int callNearTheEnd(RepetitionInfo round, IntConsumer call) throws InterruptedException {
        int[] failed = {0};
        Thread caller = new Thread(
                null, () -> goDown(call, failed), "caller", 256 * 1024 + 112L * round.getCurrentRepetition());
        caller.start();
        caller.join();
        return failed[0];
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void goDown(IntConsumer call, int[] failed) {
        try {
            goDown(call, failed);
        } catch (StackOverflowError ex) {
            framesLeft = CALLS;
        }
        if (framesLeft > 0) {
            framesLeft--;
            try {
                call.accept(framesLeft);
            } catch (StackOverflowError ex) {
                failed[0]++;
            }
        }
    }

    @RepeatedTest(8)
    void timeoutsAreMadeAndCancelledWhollyOrNotAtAll(RepetitionInfo round) throws Exception {
        timer.newTimeout(NOTHING, 1, HOURS).cancel();
        int notMade = callNearTheEnd(round, i -> timeouts.set(i, timer.newTimeout(NOTHING, 1, HOURS)));
        assertThat(notMade).isPositive();
        List<Timeout> made =
                timeouts.stream().filter(timeout -> timeout != null).toList();
        assertThat(made).hasSize(CALLS - notMade);
        assertThat(timer.pendingTimeouts()).isEqualTo(made.size());
        callNearTheEnd(round, i -> {
            if (timeouts.get(i) != null) {
                timeouts.get(i).cancel();
            }
        });
        long left = made.stream().filter(timeout -> !timeout.isCancelled()).count();
        assertThat(timer.pendingTimeouts()).isEqualTo(left);
        awaitThat(() -> executor.group(timer.name()).pendingCount() == left);
        assertThat(made.stream().filter(Timeout::cancel)).hasSize((int) left);
        // As many as there are places for, so that none is lost.
        for (int i = 0; i < CALLS; i++) {
            timer.newTimeout(NOTHING, 1, HOURS);
        }
    }

    @RepeatedTest(8)
    void timeoutIsReturnedByAStopThoughOthersFailed(RepetitionInfo round) throws Exception {
        Timeout timeout = timer.newTimeout(NOTHING, 1, HOURS);
        Set<Timeout> returned = new HashSet<>();
        int failed = callNearTheEnd(round, i -> {
            for (Timeout each : timer.stop()) {
                returned.add(each);
            }
        });
        assertThat(failed).isPositive();
        assertThat(returned).containsExactly(timeout);
        assertThat(timeout.isCancelled()).isTrue();
    }
}
