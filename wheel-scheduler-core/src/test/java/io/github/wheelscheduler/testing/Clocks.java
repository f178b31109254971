package io.github.wheelscheduler.testing;

/** Readings of a monotonic clock at which careless arithmetic breaks. */
public final class Clocks {

    private Clocks() {}

    /** Returns origins around which a clock wraps or changes its sign. For {@code @MethodSource}. */
    public static long[] awkwardOrigins() {
        return new long[] {
            Long.MIN_VALUE, Long.MIN_VALUE + 1, -1_000_000_007, -1, 0, 1, Long.MAX_VALUE - 1_000_000_007, Long.MAX_VALUE
        };
    }
}
