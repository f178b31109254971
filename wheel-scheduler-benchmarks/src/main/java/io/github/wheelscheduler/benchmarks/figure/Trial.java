package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.contender.Contenders;

/**
 * The measurement of one JVM.
 *
 * @param figure name of the figure
 * @param variant one of the figure's variants
 * @param contender name of the contender
 * @param isTiny whether to show only that it works
 * @param seed for random numbers
 * @param watch is told about the part that counts
 */
public record Trial(String figure, String variant, String contender, boolean isTiny, long seed, Watch watch) {

    private static final int LARGEST_TINY_COUNT = 2_000;
    private static final int TINY_TIME_DIVISOR = 10;

    Contender newContender() {
        return Contenders.create(contender);
    }

    /** Returns so many, or fewer if this is tiny. */
    int count(int full) {
        return isTiny ? Math.min(full, LARGEST_TINY_COUNT) : full;
    }

    /** Returns so much time in nanoseconds, or less if this is tiny. */
    long millis(long full) {
        return full * 1_000_000 / (isTiny ? TINY_TIME_DIVISOR : 1);
    }

    /** Whether never to be early and to run on workers only are promises, and not just to be reported. */
    boolean isOurs() {
        return Contenders.isOurs(contender);
    }
}
