package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A task that holds the thread that runs it until a test opens it, or until the thread is interrupted. */
final class Gate implements TimerTask {

    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger arrivals = new AtomicInteger();
    private final AtomicInteger interrupts = new AtomicInteger();

    @Override
    public void run(Timeout timeout) {
        arrivals.incrementAndGet();
        try {
            opened.await();
        } catch (InterruptedException ex) {
            interrupts.incrementAndGet();
        }
    }

    void open() {
        opened.countDown();
    }

    /** Waits until a thread has come by. */
    void awaitArrival() {
        awaitThat(() -> arrivals.get() > 0);
    }

    int interrupts() {
        return interrupts.get();
    }
}
