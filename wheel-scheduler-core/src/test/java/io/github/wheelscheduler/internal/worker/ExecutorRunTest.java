package io.github.wheelscheduler.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The moves of a run that is on its way to an executor: each is made once, from the state that it belongs to. */
class ExecutorRunTest {

    private final ExecutorWorkers workers =
            ExecutorWorkersTest.workers(new ExecutorWorkersTest.Recorder(), Runnable::run);
    private final ExecutorRun run = new ExecutorRun(workers);
    private final Thread thread = Thread.currentThread();

    @Test
    void runThatWaitsIsStartedOnce() {
        assertThat(run.isWaiting()).isTrue();
        assertThat(run.start(thread)).isTrue();
        assertThat(run.isWaiting()).isFalse();
        assertThat(run.start(thread)).isFalse();
        assertThat(run.isOver()).isFalse();
        run.finish(thread);
        assertThat(run.isOver()).isTrue();
        assertThat(run.start(thread)).isFalse();
    }

    @Test
    void runIsShownWhileItGoesOnAndHasBeenObserved() {
        List<Long> since = new ArrayList<>();
        Workers.RunningVisitor visitor = (task, shown, nanos) -> since.add(nanos);
        run.fill(() -> {}, 0);
        run.showTo(visitor);
        assertThat(run.start(thread)).isTrue();
        run.showTo(visitor);
        assertThat(since).isEmpty();
        run.startedAt(42);
        run.showTo(visitor);
        assertThat(since).containsExactly(42L);
        run.finish(thread);
        run.showTo(visitor);
        assertThat(since).hasSize(1);
    }

    @Test
    void interruptReachesTheRunAndNothingAfterIt() throws Exception {
        run.interrupt();
        assertThat(Thread.interrupted()).as("nothing goes on").isFalse();
        CountDownLatch begun = new CountDownLatch(1);
        boolean[] left = {true};
        Thread runner = new Thread(() -> {
            assertThat(run.start(Thread.currentThread())).isTrue();
            begun.countDown();
            // It does not heed the interrupt, which is left to be cleared.
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            run.finish(Thread.currentThread());
            left[0] = Thread.currentThread().isInterrupted();
        });
        runner.start();
        begun.await();
        run.interrupt();
        runner.join(30_000);
        assertThat(left[0]).isFalse();
        assertThat(runner.isAlive()).isFalse();
    }
}
