package io.github.wheelscheduler.durable;

/**
 * Receives each end of a run of a durable task, each cancellation and each take-over, on the node where it happened,
 * after the database has committed it. Delivery is at most once: a node that dies in between delivers nothing.
 *
 * <p>One thread at a time calls all listeners, apart from the threads of tasks. A slow listener delays other listeners
 * and no task; an exception is logged. While more than 10,000 ends wait, further ones are dropped, and the log says so.
 */
@FunctionalInterface
public interface DurableListener {

    /** Receives an end. */
    void ended(DurableEnd end);
}
