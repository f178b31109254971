package io.github.wheelscheduler.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One blocking call, made on a thread of its own, so that a test can watch and interrupt it. */
final class Caller<V extends @Nullable Object> {

    private final FutureTask<V> call;
    private final Thread thread;
    private volatile boolean interruptStatusAfterwards;

    private Caller(Callable<V> call) {
        this.call = new FutureTask<>(() -> {
            try {
                return call.call();
            } finally {
                interruptStatusAfterwards = Thread.currentThread().isInterrupted();
            }
        });
        this.thread = new Thread(this.call, "caller");
        this.thread.setDaemon(true);
    }

    static <V extends @Nullable Object> Caller<V> call(Callable<V> call) {
        Caller<V> caller = new Caller<>(call);
        caller.thread.start();
        return caller;
    }

    /** Makes the call with the interrupt status already set. */
    static <V extends @Nullable Object> Caller<V> callInterrupted(Callable<V> call) {
        return call(() -> {
            Thread.currentThread().interrupt();
            return call.call();
        });
    }

    /** Returns once the thread waits for something, or has ended. */
    Caller<V> awaitBlocked() {
        ContractFixture.eventually(() -> call.isDone()
                || thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
        return this;
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isBlocked() {
        return thread.isAlive() && !call.isDone();
    }

    V result() {
        return ContractFixture.result(call);
    }

    Throwable failure() throws InterruptedException, TimeoutException {
        try {
            V value = call.get(ContractFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            throw new AssertionError("expected a failure, was " + value);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return cause == null ? e : cause;
        }
    }

    /** Tells whether the call came back, with a result or a failure, with the interrupt status set. */
    boolean endedInterrupted() {
        return interruptStatusAfterwards;
    }
}
