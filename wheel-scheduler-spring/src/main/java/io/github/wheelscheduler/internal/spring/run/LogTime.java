package io.github.wheelscheduler.internal.spring.run;

import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The time that log limits use: that of the machine, even if the scheduler's time is virtual.
 *
 * @param nanoClock the machine's monotonic clock
 * @param sumUpLater receives the task that logs a summary of suppressed lines, as
 *     {@link io.github.wheelscheduler.TimeSource#sumUpLater}
 * @param threads makes the threads that wait until it is time to say something
 */
public record LogTime(LongSupplier nanoClock, Consumer<Runnable> sumUpLater, ThreadFactory threads) {

    /** Returns the machine's time. */
    public long nanos() {
        return nanoClock.getAsLong();
    }
}
