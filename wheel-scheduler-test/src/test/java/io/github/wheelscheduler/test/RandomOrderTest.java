package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VirtualTimeExtension.class)
class RandomOrderTest {

    private static final int TASKS = 20;

    private static List<String> runs(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<String> runs = new ArrayList<>();
        Instant start = time.now();
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            ScheduledFuture<?> ignored = scheduler.scheduleAtFixedRate(
                    () -> runs.add(Duration.between(start, time.now()).toSeconds() + "/" + number),
                    Duration.ofSeconds(1));
        }
        time.advanceBy(Duration.ofSeconds(2));
        return runs;
    }

    @Test
    void seedGivesOneOrderAndAnotherSeedAnotherOne() {
        Set<List<String>> orders = new HashSet<>();
        for (int round = 0; round < 2; round++) {
            for (long seed = 1; seed <= 3; seed++) {
                try (VirtualTime time = VirtualTime.create()) {
                    time.setRandomOrder(seed);
                    List<String> runs = runs(time);
                    assertThat(runs).hasSize(3 * TASKS).doesNotHaveDuplicates();
                    // Only runs of one instant change places.
                    assertThat(runs.subList(0, TASKS)).allMatch(run -> run.startsWith("0/"));
                    assertThat(runs.subList(TASKS, 2 * TASKS)).allMatch(run -> run.startsWith("1/"));
                    orders.add(runs);
                }
            }
        }
        assertThat(orders).hasSize(3);
    }

    @Test
    void runsComeAsScheduledWithoutTheAnnotation(VirtualTime time) {
        assertThat(runs(time).subList(0, 3)).containsExactly("0/0", "0/1", "0/2");
        assertThat(time.seed()).isEmpty();
    }

    @Test
    void failureNamesTheSeed(VirtualTime time) {
        time.setOrder(RunOrder.RANDOM);
        AssertionError failure = new AssertionError("of a test");
        TestsInTurn.addSeed(time, failure);
        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(seed -> assertThat(seed)
                        .hasMessageContaining("setRandomOrder(" + time.seed().getAsLong() + "L)"));
    }

    @Test
    void twoSchedulersHaveOneOrderEachForASeed() {
        Set<List<List<String>>> orders = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            try (VirtualTime time = VirtualTime.create()) {
                time.setRandomOrder(7);
                List<List<String>> runs = List.of(new ArrayList<>(), new ArrayList<>());
                for (List<String> own : runs) {
                    WheelTaskScheduler scheduler = time.newScheduler();
                    for (int task = 0; task < TASKS; task++) {
                        String name = "task-" + task;
                        ScheduledFuture<?> ignored = scheduler.schedule(() -> own.add(name), time.now());
                    }
                }
                time.runCurrent();
                orders.add(runs);
            }
        }
        assertThat(orders).hasSize(1);
        List<List<String>> one = orders.iterator().next();
        assertThat(one.get(0)).isNotEqualTo(one.get(1)).hasSize(TASKS);
    }
}
