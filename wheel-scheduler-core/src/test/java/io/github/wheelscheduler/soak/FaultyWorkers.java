package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Workers of each kind whose threads do not start, or which refuse, for as long as they are told to. */
final class FaultyWorkers {

    private static final int POOL_THREADS = 4;
    private static final int POOL_CAPACITY = 64;

    private final OutOfMemoryError noThread = new OutOfMemoryError("on purpose: no thread");
    private final RejectedExecutionException refusal = new RejectedExecutionException("on purpose: refused");

    private final WorkerKind kind;

    /** Writer: the thread that makes the faults. Readers: threads that start others or hand over. */
    private volatile boolean isFailing;

    private final AtomicLong failures = new AtomicLong();

    FaultyWorkers(WorkerKind kind) {
        this.kind = kind;
    }

    WheelScheduledExecutorBuilder applyTo(WheelScheduledExecutorBuilder builder) {
        builder.tickThreadFactory(Thread::new);
        return switch (kind) {
            case ELASTIC -> builder.threadFactory(failing(Thread::new));
            case THREAD_PER_RUN -> builder.threadPerRun(failing(WorkerKind.lightThreads()));
            case GIVEN_EXECUTOR -> builder.executor(refusing(new SteadyPool(POOL_THREADS, POOL_CAPACITY)));
        };
    }

    void setFailing(boolean value) {
        isFailing = value;
    }

    /** Returns how many threads were not started, or runs refused, on purpose. */
    long failures() {
        return failures.get();
    }

    /** By turns, it throws and returns no thread. */
    private ThreadFactory failing(ThreadFactory threads) {
        return task -> {
            if (!isFailing) {
                return threads.newThread(task);
            }
            if (failures.incrementAndGet() % 2 == 0) {
                throw noThread;
            }
            return null;
        };
    }

    private Executor refusing(Executor executor) {
        return run -> {
            if (isFailing) {
                failures.incrementAndGet();
                throw refusal;
            }
            executor.execute(run);
        };
    }
}
