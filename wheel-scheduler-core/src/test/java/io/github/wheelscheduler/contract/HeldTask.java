package io.github.wheelscheduler.contract;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A task that says when it begins and then runs until it is released or interrupted. */
final class HeldTask {

    static final String RESULT = "released";

    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);
    final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);
    private volatile boolean interrupted;

    void run() {
        call();
    }

    String call() {
        runs.incrementAndGet();
        begun.countDown();
        try {
            gate.await();
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            ended.countDown();
        }
        return RESULT;
    }

    void release() {
        gate.countDown();
    }

    boolean wasInterrupted() {
        return interrupted;
    }
}
