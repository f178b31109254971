package io.github.wheelscheduler.internal.spring.run;

import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What limits of the log go by: the time of the machine, also where the scheduler's is virtual.
 *
 * @param nanoClock the machine's monotonic clock
 * @param sumUpLater is given what sums up what a limit holds back, as {@link io.github.wheelscheduler.TimeSource#sumUpLater}
 * @param threads makes the threads that wait until it is time to say something
 */
public record LogTime(LongSupplier nanoClock, Consumer<Runnable> sumUpLater, ThreadFactory threads) {

    /** Returns the machine's time. */
    public long nanos() {
        return nanoClock.getAsLong();
    }
}
