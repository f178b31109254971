package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitLatch;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The promises that a {@link Timer} keeps if it calls all code of its users on one thread, or as if there were one. */
abstract class OneThreadTimerContract extends OrderedTimerContract {

    @Test
    void tellsTasksOfTheirCancellationWhileNoTaskRuns() {
        Timer timer = newTimer();
        int each = 300;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch called = new CountDownLatch(2 * each);
        TimerTask task = new TimerTask() {
            @Override
            public void run(Timeout timeout) {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                for (int i = 0; i < 1_000; i++) {
                    Thread.onSpinWait();
                }
                inside.decrementAndGet();
                called.countDown();
            }

            @Override
            public void cancelled(Timeout timeout) {
                run(timeout);
            }
        };
        for (int i = 0; i < each; i++) {
            timer.newTimeout(task, i % 4, MILLISECONDS);
            assertThat(timer.newTimeout(task, 1, HOURS).cancel()).isTrue();
        }
        awaitLatch(called);
        assertThat(most).hasValue(1);
    }
}
