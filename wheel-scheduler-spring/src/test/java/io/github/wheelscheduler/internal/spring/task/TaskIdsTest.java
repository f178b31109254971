package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Numbers of tasks with one name, against a set of all that are free. */
class TaskIdsTest {

    private final TaskIds ids = new TaskIds();

    @Test
    void lowestFreeNumberIsTakenHoweverTasksComeAndGo() {
        Seed.play(random -> {
            TreeSet<Integer> free = new TreeSet<>();
            List<TaskId> used = new ArrayList<>();
            int next = 1;
            for (int i = 0; i < 20_000; i++) {
                if (used.isEmpty() || random.nextInt(100) < 52) {
                    Integer lowest = free.pollFirst();
                    int expected = lowest != null ? lowest : next++;
                    assertThat(ids.take("job")).isEqualTo(expected);
                    used.add(new TaskId("job", expected));
                } else {
                    TaskId id = used.remove(random.nextInt(used.size()));
                    ids.giveBack(id);
                    free.add(id.ordinal());
                    if (used.isEmpty()) {
                        free.clear();
                        next = 1;
                    }
                }
            }
            used.forEach(ids::giveBack);
            assertThat(ids.size()).isZero();
        });
    }

    @Test
    void namesHaveNumbersOfTheirOwn() {
        assertThat(ids.take("a")).isEqualTo(1);
        assertThat(ids.take("b")).isEqualTo(1);
        assertThat(ids.take("a")).isEqualTo(2);
        ids.giveBack(TaskId.given("a"));
        assertThat(ids.take("a")).isEqualTo(3);
        assertThat(ids.size()).isEqualTo(2);
    }
}
