package io.github.wheelscheduler.spring.watch;

/** Called on the thread of each run before it starts, with the causes of its delay. Its exceptions are ignored. */
@FunctionalInterface
public interface LatenessListener {

    /**
     * A run starts.
     *
     * @param wheelNanos how long after its deadline the tick thread handed it over
     * @param queueNanos how long it has waited for a worker since
     * @param nowNanos the current time of the scheduler's executor
     */
    void starting(long wheelNanos, long queueNanos, long nowNanos);
}
