package io.github.wheelscheduler.testing;

import io.github.wheelscheduler.TimeSource;

/** Monotonic time that stands still: what is due later never comes. */
public final class FrozenTime extends TimeSource {

    @Override
    public long nanoTime() {
        return 0;
    }
}
