package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Several schedulers and groups in one virtual time have one order: by time, within a wheel by scheduling, between
 * wheels as they joined.
 */
@ExtendWith(VirtualTimeExtension.class)
@SuppressWarnings("FutureReturnValueIgnored") // as users write it
class OneOrderTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private final VirtualTime time;

    OneOrderTest(VirtualTime time) {
        this.time = time;
    }

    @BeforeEach
    void emptyLog() {
        log.clear();
    }

    private Instant at(int seconds) {
        return VirtualTime.DEFAULT_START.plusSeconds(seconds);
    }

    private static WheelScheduledExecutor newExecutor(VirtualTime time) {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .wallClock(time.clock())
                .build();
        time.drive(executor);
        return executor;
    }

    @Test
    void schedulersTakeTurnsAsTheyJoined() {
        List<WheelTaskScheduler> schedulers = List.of(time.newScheduler(), time.newScheduler(), time.newScheduler());
        List<String> expected = new ArrayList<>();
        for (int task = 0; task < 30; task++) {
            for (int i = 2; i >= 0; i--) {
                String name = i + "/" + task;
                schedulers.get(i).schedule(() -> log.add(name), at(1));
            }
        }
        for (int i = 0; i < 3; i++) {
            for (int task = 0; task < 30; task++) {
                expected.add(i + "/" + task);
            }
        }
        time.advanceBy(SECOND);
        assertThat(log).isEqualTo(expected);
    }

    @Test
    void overdueTasksOfAllSchedulersRunByTime() {
        List<WheelTaskScheduler> schedulers = List.of(time.newScheduler(), time.newScheduler());
        for (int second = 1; second <= 20; second++) {
            String name = "at " + second;
            schedulers.get(second % 2).schedule(() -> log.add(name), at(second));
        }
        time.suspend(Duration.ofSeconds(30));
        assertThat(log)
                .hasSize(20)
                .isSortedAccordingTo((one, other) ->
                        Integer.compare(Integer.parseInt(one.substring(3)), Integer.parseInt(other.substring(3))));
    }

    @Test
    void groupsAndTheirExecutorGoByTheirScheduling() {
        try (WheelScheduledExecutor executor = newExecutor(time)) {
            List<ScheduledExecutorService> all = List.of(executor.group("a"), executor, executor.group("b"));
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                String name = "task " + i;
                expected.add(name);
                all.get(i % 3).schedule(() -> log.add(name), 1, TimeUnit.SECONDS);
            }
            time.advanceBy(SECOND);
            assertThat(log).isEqualTo(expected);
        }
    }

    @Test
    void pausedOrHaltedGroupKeepsItsPlace() {
        try (WheelScheduledExecutor executor = newExecutor(time)) {
            WheelScheduledExecutor paused = executor.group("paused");
            WheelScheduledExecutor halted = executor.group("halted");
            WheelTimer<?> late = halted.schedule(() -> log.add("halted 1"), 1, TimeUnit.SECONDS);
            paused.schedule(() -> log.add("paused"), 1, TimeUnit.SECONDS);
            halted.schedule(() -> log.add("halted 2"), 1, TimeUnit.SECONDS);
            halted.schedule(() -> log.add("cancelled"), 1, TimeUnit.SECONDS).cancel(false);
            executor.scheduleAtFixedRate(() -> log.add("own"), 1, 1, TimeUnit.SECONDS);
            executor.group("third").schedule(() -> log.add("third"), 2, TimeUnit.SECONDS);
            halted.halt();
            paused.pause();
            time.advanceBy(Duration.ofSeconds(2));
            assertThat(log).containsExactly("own", "third", "own");
            assertThat(late.isDone()).isFalse();
            log.clear();
            halted.proceed();
            paused.resume();
            time.runCurrent();
            assertThat(log).contains("paused").doesNotContain("cancelled").containsSubsequence("halted 1", "halted 2");
        }
    }

    @Test
    void groupOfOneWorkerRunsItsTasksBesideOthers() {
        time.setOrder(RunOrder.SIDE_BY_SIDE);
        try (WheelScheduledExecutor executor = newExecutor(time)) {
            WheelScheduledExecutor one = executor.group("one");
            one.setMaxWorkers(1);
            for (int i = 0; i < 100; i++) {
                String name = "one " + i;
                one.schedule(() -> log.add(name), 1, TimeUnit.SECONDS);
                executor.schedule(() -> log.add("own"), 1, TimeUnit.SECONDS);
            }
            time.advanceBy(SECOND);
            assertThat(log.stream().filter(name -> name.startsWith("one")).toList())
                    .hasSize(100)
                    .startsWith("one 0", "one 1", "one 2")
                    .endsWith("one 98", "one 99");
            assertThat(log).hasSize(200);
        }
    }

    /** Each of two tasks is first for a third to two thirds of the seeds. */
    private static void assertMixed(Function<VirtualTime, List<WheelScheduledExecutor>> executors) {
        int firstOfTwo = 0;
        Set<String> firstOfMany = new HashSet<>();
        for (long seed = 0; seed < 60; seed++) {
            try (VirtualTime time = VirtualTime.create()) {
                time.setRandomOrder(seed);
                List<WheelScheduledExecutor> all = executors.apply(time);
                firstOfTwo += firstOf(time, all, 2).equals("0") ? 1 : 0;
                firstOfMany.add(firstOf(time, all, 60));
                all.forEach(WheelScheduledExecutor::shutdown);
            }
        }
        assertThat(firstOfTwo).isBetween(20, 40);
        assertThat(firstOfMany).hasSizeGreaterThanOrEqualTo(30);
    }

    private static String firstOf(VirtualTime time, List<WheelScheduledExecutor> executors, int tasks) {
        List<String> runs = Collections.synchronizedList(new ArrayList<>());
        for (int task = 0; task < tasks; task++) {
            String name = "" + task;
            executors.get(task % executors.size()).schedule(() -> runs.add(name), 1, TimeUnit.SECONDS);
        }
        time.advanceBy(SECOND);
        assertThat(runs).hasSize(tasks).doesNotHaveDuplicates();
        return runs.get(0);
    }

    @Test
    void randomOrderMixesWheels() {
        assertMixed(time -> List.of(newExecutor(time), newExecutor(time)));
    }

    @Test
    void randomOrderMixesGroups() {
        assertMixed(time -> {
            WheelScheduledExecutor executor = newExecutor(time);
            return List.of(executor, executor.group("group"));
        });
    }

    @Test
    void randomOrderMixesTheTasksOfOneWheel() {
        assertMixed(time -> List.of(newExecutor(time)));
    }

    @Test
    void runMayScheduleOnAnotherForTheSameInstant() {
        WheelTaskScheduler one = time.newScheduler();
        WheelTaskScheduler other = time.newScheduler();
        other.schedule(() -> log.add("other"), at(1));
        one.schedule(
                () -> {
                    log.add("one");
                    other.schedule(() -> log.add("other, later"), at(1));
                    one.schedule(() -> log.add("one, later"), at(1));
                },
                at(1));
        time.advanceBy(SECOND);
        assertThat(log).containsExactly("one", "one, later", "other", "other, later");
    }
}
