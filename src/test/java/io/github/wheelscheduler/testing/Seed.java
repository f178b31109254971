package io.github.wheelscheduler.testing;

import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Where a random test gets its numbers from. A failure tells the seed; {@code -Dwheel.test.seed} plays the same test
 * again.
 */
public final class Seed {

    private static final String PROPERTY = "wheel.test.seed";

    private Seed() {}

    /** A test that is played with random numbers. */
    @FunctionalInterface
    public interface Play {

        void play(SplittableRandom random) throws Exception;
    }

    /** Plays the test with a new seed, or with the one that was passed in. */
    public static void play(Play test) {
        Long given = Long.getLong(PROPERTY);
        long seed = given != null ? given : ThreadLocalRandom.current().nextLong();
        try {
            test.play(new SplittableRandom(seed));
        } catch (Throwable ex) {
            throw new AssertionError(
                    "Failed with seed " + seed + "; play it again with -D" + PROPERTY + "=" + seed + ": " + ex, ex);
        }
    }
}
