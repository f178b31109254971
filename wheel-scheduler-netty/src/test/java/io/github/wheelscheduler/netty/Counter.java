package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task that counts how often it was run, and how often it was told that it has been cancelled. */
final class Counter implements TimerTask {

    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger cancellations = new AtomicInteger();
    final AtomicReference<@Nullable Timeout> last = new AtomicReference<>();
    final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    @Override
    public void run(Timeout timeout) {
        note(timeout);
        runs.incrementAndGet();
    }

    @Override
    public void cancelled(Timeout timeout) {
        note(timeout);
        cancellations.incrementAndGet();
    }

    private void note(Timeout timeout) {
        last.set(timeout);
        thread.set(Thread.currentThread());
    }

    void awaitRun() {
        awaitThat(() -> runs.get() > 0);
    }

    void awaitCancellation() {
        awaitThat(() -> cancellations.get() > 0);
    }
}
