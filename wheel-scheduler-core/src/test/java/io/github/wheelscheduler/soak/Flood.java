package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Threads that execute as fast as they can, while they are told to and what has not run yet fits into the heap. */
final class Flood {

    private static final int CALLERS = 4;

    private final WheelScheduledExecutor executor;
    private final int mostWaiting;
    private final Findings findings;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong inDoubt = new AtomicLong();
    private final AtomicLong ran = new AtomicLong();
    private final Runnable task = ran::incrementAndGet;

    private volatile boolean isOn;
    private volatile boolean ending;

    Flood(WheelScheduledExecutor executor, int mostWaiting, Findings findings) {
        this.executor = executor;
        this.mostWaiting = mostWaiting;
        this.findings = findings;
        for (int i = 0; i < CALLERS; i++) {
            Thread thread = new Thread(this::call, "flood-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    void setOn(boolean value) {
        isOn = value;
    }

    void end() throws InterruptedException {
        ending = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Waits until all has run that was accepted, and nothing that was not. */
    void awaitAll(long limitNanos) {
        boolean ignored = Nap.until(() -> ran.get() >= accepted.get(), limitNanos);
        if (ran.get() < accepted.get() || ran.get() > accepted.get() + inDoubt.get()) {
            findings.add("all that was executed must run", inDoubt.get(), accepted.get(), ran.get());
        }
    }

    long ranCount() {
        return ran.get();
    }

    private void call() {
        while (!ending) {
            if (isOn && accepted.get() - ran.get() < mostWaiting) {
                execute();
            } else {
                LockSupport.parkNanos(Nap.MILLI);
            }
        }
    }

    private void execute() {
        try {
            executor.execute(task);
            accepted.incrementAndGet();
        } catch (RejectedExecutionException ex) {
            findings.add("nothing may be refused before it is shut down", 0, 0, 1);
        } catch (Throwable ex) {
            inDoubt.incrementAndGet();
        }
    }
}
