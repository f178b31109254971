package io.github.wheelscheduler.testing;

import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread-local value that children inherit, and notes each thread that makes one which does. */
public final class Heirloom {

    private final Collection<Thread> parents = new ConcurrentLinkedQueue<>();

    private final InheritableThreadLocal<@Nullable String> value = new InheritableThreadLocal<>() {
        @Override
        protected @Nullable String childValue(@Nullable String parentValue) {
            if (parentValue != null) {
                parents.add(Thread.currentThread());
            }
            return parentValue;
        }
    };

    /** Returns the value of the calling thread; {@code null} as text if it has none. */
    public String get() {
        return String.valueOf(value.get());
    }

    /** Sets the value of the calling thread. */
    public void set(@Nullable String own) {
        value.set(own);
    }

    /** Returns the threads that have made a thread which has inherited the value. */
    public Collection<Thread> parents() {
        return parents;
    }

    /** Calls on a new thread that has the value and the class loader, and returns the result. */
    public <T> T callWith(String own, ClassLoader loader, Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            value.set(own);
            try {
                boolean ignored = result.complete(action.call());
            } catch (Throwable ex) {
                boolean ignored = result.completeExceptionally(ex);
            }
        });
        thread.setContextClassLoader(loader);
        thread.start();
        return result.orTimeout(30, TimeUnit.SECONDS).join();
    }
}
