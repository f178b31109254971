package io.github.wheelscheduler.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class XorshiftTest {

    @Test
    void staysWithinBoundsAndReachesAllOfThem() {
        Xorshift random = new Xorshift(1);
        int[] hits = new int[10];
        for (int i = 0; i < 10_000; i++) {
            hits[random.below(10)]++;
            assertThat(random.below(1L << 40)).isBetween(0L, (1L << 40) - 1);
            assertThat(random.between(5, 7)).isBetween(5L, 6L);
            assertThat(random.unit()).isGreaterThan(0).isLessThanOrEqualTo(1);
        }

        assertThat(hits).doesNotContain(0);
    }

    @Test
    void sameSeedGivesTheSameNumbers() {
        assertThat(new Xorshift(7).below(1L << 62)).isEqualTo(new Xorshift(7).below(1L << 62));
        assertThat(new Xorshift(7).below(1L << 62)).isNotEqualTo(new Xorshift(8).below(1L << 62));
    }
}
