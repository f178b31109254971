package io.github.wheelscheduler.testing;

import static io.github.wheelscheduler.testing.Patience.awaitThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A task that holds the thread that runs it until a test opens it, or until it is interrupted. */
public final class Gate implements Runnable {

    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger arrivals = new AtomicInteger();
    private final AtomicInteger interrupts = new AtomicInteger();

    @Override
    public void run() {
        arrivals.incrementAndGet();
        try {
            opened.await();
        } catch (InterruptedException ex) {
            interrupts.incrementAndGet();
        }
    }

    public void open() {
        opened.countDown();
    }

    /** Waits until so many threads have come by. */
    public void awaitArrivals(int count) {
        awaitThat(() -> arrivals.get() >= count);
    }

    public int arrivals() {
        return arrivals.get();
    }

    public int interrupts() {
        return interrupts.get();
    }
}
