package io.github.wheelscheduler.benchmarks.measure;

import java.util.Arrays;

/** Percentiles by the nearest rank, of at least one sample. */
public final class Percentiles {

    private final long[] sorted;

    /**
     * Takes the samples over and sorts them.
     *
     * @throws IllegalArgumentException if there are none
     */
    public Percentiles(long[] samples) {
        if (samples.length == 0) {
            throw new IllegalArgumentException("samples must not be empty");
        }
        Arrays.sort(samples);
        this.sorted = samples;
    }

    /**
     * Returns the smallest sample that at least this many per cent of all do not exceed.
     *
     * @throws IllegalArgumentException if {@code percent} is not above 0 and at most 100
     */
    public long at(double percent) {
        if (!(percent > 0 && percent <= 100)) {
            throw new IllegalArgumentException("percent must be above 0 and at most 100, was " + percent);
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[rank - 1];
    }

    /** Returns the smallest sample. */
    public long min() {
        return sorted[0];
    }

    /** Returns the largest sample. */
    public long max() {
        return sorted[sorted.length - 1];
    }

    /** Returns how many samples are negative: runs before their deadline. */
    public long negative() {
        int place = Arrays.binarySearch(sorted, 0);
        if (place < 0) {
            return -(place + 1L);
        }
        while (place > 0 && sorted[place - 1] == 0) {
            place--;
        }
        return place;
    }
}
