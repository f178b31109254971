package io.github.wheelscheduler.spring.watch;

/** Called on the thread of each run before it starts, with the causes of its delay. Its exceptions are ignored. */
@FunctionalInterface
public interface LatenessListener {

    /**
     * A run starts.
     *
     * @param wheelNanos the time from its deadline until the tick thread handed it over
     * @param queueNanos the time that it has waited for a worker since
     * @param nowNanos the current time of the scheduler's executor
     */
    void starting(long wheelNanos, long queueNanos, long nowNanos);
}
