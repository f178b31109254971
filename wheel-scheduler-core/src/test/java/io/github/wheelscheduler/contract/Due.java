package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Delayed;

/**
 * The deadline that a future tells through its delay, as the narrowest interval of clock readings a caller can know.
 * However long the machine stalls, the interval only gets wider: what is asserted with it never fails by bad luck.
 */
record Due(long remainingNanos, long earliest, long latest) {

    static Due of(Delayed future) {
        long before = System.nanoTime();
        long remaining = future.getDelay(NANOSECONDS);
        long after = System.nanoTime();
        return new Due(remaining, before + remaining, after + remaining);
    }

    /** Reads again and again, which narrows the interval to nanoseconds; the deadline must not move meanwhile. */
    static Due ofUnmoved(Delayed future) {
        Due narrowest = of(future);
        for (int i = 0; i < 50; i++) {
            Due next = of(future);
            narrowest = new Due(
                    next.remainingNanos,
                    next.earliest - narrowest.earliest > 0 ? next.earliest : narrowest.earliest,
                    next.latest - narrowest.latest < 0 ? next.latest : narrowest.latest);
        }
        return narrowest;
    }

    Due plus(long nanos) {
        return new Due(remainingNanos + nanos, earliest + nanos, latest + nanos);
    }

    long uncertaintyNanos() {
        return latest - earliest;
    }

    /** Asserts that both can be the same deadline. */
    void assertSameAs(Due other) {
        assertBetween(other.earliest, other.latest);
    }

    /** Asserts that the deadline can lie between the two readings. */
    void assertBetween(long from, long to) {
        assertThat(latest - from).as("nanoseconds after the earliest allowed").isNotNegative();
        assertThat(to - earliest).as("nanoseconds before the latest allowed").isNotNegative();
    }
}
