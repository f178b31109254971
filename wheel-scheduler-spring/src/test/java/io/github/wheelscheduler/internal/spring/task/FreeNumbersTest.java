package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Numbers of tasks with one name, against a set of all that are free. */
class FreeNumbersTest {

    private final FreeNumbers numbers = new FreeNumbers();

    @Test
    void lowestFreeNumberIsTakenHoweverTasksComeAndGo() {
        Seed.play(random -> {
            TreeSet<Integer> free = new TreeSet<>();
            List<Integer> used = new ArrayList<>();
            int next = 0;
            for (int i = 0; i < 50_000; i++) {
                int comers = i % 10_000 < 7_000 ? 70 : 30;
                if (used.isEmpty() || random.nextInt(100) < comers) {
                    Integer lowest = free.pollFirst();
                    int expected = lowest != null ? lowest : next++;
                    int taken = numbers.lowest();
                    assertThat(taken).isEqualTo(expected);
                    numbers.take(taken);
                    used.add(taken);
                } else {
                    int index = random.nextInt(used.size());
                    int number = used.get(index);
                    used.subList(index, index + 1).clear();
                    numbers.giveBack(number);
                    free.add(number);
                }
            }
        });
    }

    @Test
    void numbersFollowEachOtherAcrossAllLevels() {
        for (int i = 0; i < 300_000; i++) {
            assertThat(numbers.lowest()).isEqualTo(i);
            numbers.take(i);
        }
        numbers.giveBack(299_999);
        numbers.giveBack(64);
        assertThat(numbers.lowest()).isEqualTo(64);
        numbers.take(64);
        assertThat(numbers.lowest()).isEqualTo(299_999);
        numbers.take(299_999);
        assertThat(numbers.lowest()).isEqualTo(300_000);
    }
}
