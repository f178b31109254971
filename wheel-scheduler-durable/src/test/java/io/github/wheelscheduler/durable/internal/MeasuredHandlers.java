package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableBody;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.RetryPolicy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Handlers that a process of {@link FairClusterMeasured} may have; a line of its log tells when a run begins, and one
 * when it ends.
 */
enum MeasuredHandlers {
    /** Takes as many milliseconds as its payload says. */
    SLEEP {
        @Override
        void run(long millis) throws InterruptedException {
            Thread.sleep(millis);
        }
    },

    /** The same, and interrupts change nothing. */
    DEAF {
        @Override
        void run(long millis) {
            long endNanos = System.nanoTime() + millis * 1_000_000;
            while (System.nanoTime() < endNanos) {
                LockSupport.parkNanos(10_000_000);
                boolean ignored = Thread.interrupted();
            }
        }
    },

    /** Never ends. */
    HANG {
        @Override
        void run(long millis) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    },

    /** Ends its process as one that crashes does. */
    HALT {
        @Override
        void run(long millis) {
            Runtime.getRuntime().halt(STATUS);
        }
    },

    /** Ends its process as an application does. */
    EXIT {
        @Override
        void run(long millis) {
            System.exit(STATUS);
        }
    };

    static final int STATUS = 3;

    String title() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    abstract void run(long millis) throws InterruptedException;

    /** Gives a node some of them, by their titles. */
    static void add(List<String> titles, DurableEngine engine, MeasuredLog log) {
        for (MeasuredHandlers handler : values()) {
            if (titles.contains(handler.title())) {
                engine.handle(
                        handler.title(), Long.class, RetryPolicy.DEFAULT, Integer.MAX_VALUE, null, (DurableBody<Long>)
                                (millis, run) -> {
                                    log.run(run.id(), engine.clockError());
                                    handler.run(millis == null ? 0 : millis);
                                    log.line("end " + run.id() + " " + MeasuredLog.nowMicros());
                                });
            }
        }
    }
}
