package io.github.wheelscheduler.benchmarks.measure;

/** Random numbers that cost next to nothing. Not thread-safe. */
public final class Xorshift {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    /** Starts from any seed. */
    public Xorshift(long seed) {
        state = ((seed + 1) * GOLDEN) | 1;
        for (int i = 0; i < 8; i++) {
            long ignored = next();
        }
    }

    private long next() {
        long x = state;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        state = x;
        return x;
    }

    /** Returns a number from 0 to {@code bound}, exclusive. */
    public int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /** Returns a number from 0 to {@code bound}, exclusive. */
    public long below(long bound) {
        return Math.floorMod(next(), bound);
    }

    /** Returns a number from {@code low} to {@code high}, exclusive. */
    public long between(long low, long high) {
        return low + below(high - low);
    }

    /** Returns a number above 0 and at most 1. */
    public double unit() {
        return ((next() >>> 11) + 1) * 0x1.0p-53;
    }
}
