package io.github.wheelscheduler.spring.watch;

/** Is told, on the thread of each run before it starts, what the run has waited for. What it throws harms nothing. */
@FunctionalInterface
public interface LatenessListener {

    /**
     * A run starts.
     *
     * @param wheelNanos how long after its deadline the tick thread handed it over
     * @param queueNanos how long it has waited for a worker since
     * @param nowNanos the time now, as the scheduler's executor tells it
     */
    void starting(long wheelNanos, long queueNanos, long nowNanos);
}
