package io.github.wheelscheduler.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.condition.JRE;

/** The kinds of threads that may be the first to schedule something. */
public enum Caller {
    DAEMON {
        @Override
        void start(Runnable call) {
            Thread thread = new Thread(call);
            thread.setDaemon(true);
            thread.start();
        }
    },

    LOW_PRIORITY {
        @Override
        @SuppressWarnings("ThreadPriorityCheck") // meant
        void start(Runnable call) {
            Thread thread = new Thread(new ThreadGroup("of a caller"), call);
            thread.setPriority(Thread.MIN_PRIORITY);
            thread.start();
        }
    },

    COMMON_POOL {
        @Override
        void start(Runnable call) {
            ForkJoinPool.commonPool().execute(call);
        }
    },

    VIRTUAL {
        @Override
        void start(Runnable call) {
            try {
                Object unused = Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, call);
            } catch (ReflectiveOperationException ex) {
                throw new LinkageError("this JDK has virtual threads", ex);
            }
        }
    };

    abstract void start(Runnable call);

    /** Whether this JDK has such threads. */
    public boolean isAvailable() {
        return this != VIRTUAL || JRE.currentJre().version() >= 21;
    }

    /** Returns what the supplier returns on such a thread. */
    public <T> T call(Supplier<T> supplier) {
        CompletableFuture<T> result = new CompletableFuture<>();
        start(() -> {
            try {
                result.complete(supplier.get());
            } catch (Throwable ex) {
                result.completeExceptionally(ex);
            }
        });
        return result.orTimeout(30, TimeUnit.SECONDS).join();
    }
}
