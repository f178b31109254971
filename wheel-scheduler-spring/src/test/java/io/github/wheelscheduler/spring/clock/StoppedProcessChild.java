package io.github.wheelscheduler.spring.clock;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Runs rates of a second on ours and on Spring's scheduler, and says what each ran after it was brought to a halt. */
final class StoppedProcessChild {

    static final String READY = "> ready";
    static final int MAX_CATCH_UP = 3;

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final long HALT_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long LOOK_MILLIS = 50;
    private static final long AFTERWARDS_MILLIS = 4_000;
    private static final String SPRINGS = "Spring's ThreadPoolTaskScheduler";

    private final Map<String, List<Long>> runs = new LinkedHashMap<>();

    private StoppedProcessChild() {}

    public static void main(String[] args) throws InterruptedException {
        new StoppedProcessChild().run();
    }

    private Runnable noting(String name) {
        List<Long> own = new CopyOnWriteArrayList<>();
        runs.put(name, own);
        return () -> own.add(System.nanoTime());
    }

    private void run() throws InterruptedException {
        WheelTaskScheduler wheel = new WheelTaskScheduler();
        wheel.setMaxCatchUp(MAX_CATCH_UP);
        wheel.initialize();
        AtomicInteger lateByTheWheel = new AtomicInteger();
        wheel.getLateness().addListener((wheelNanos, queueNanos, nowNanos) -> {
            if (wheelNanos > PERIOD.toNanos()) {
                lateByTheWheel.incrementAndGet();
            }
        });
        ThreadPoolTaskScheduler springs = new ThreadPoolTaskScheduler();
        springs.initialize();
        // Later than a busy machine takes to schedule them all.
        Instant first = Instant.now().plusSeconds(3);
        for (MissedRuns policy : MissedRuns.values()) {
            TaskSettings settings = TaskSettings.builder()
                    .missedRuns(policy)
                    .initialDelay(Duration.between(Instant.now(), first))
                    .build();
            ScheduledFuture<?> ignored = wheel.getTaskRegistry()
                    .schedule(policy.name(), noting(policy.name()), TaskSchedule.fixedRate(PERIOD), settings);
        }
        ScheduledFuture<?> ignored = springs.scheduleAtFixedRate(noting(SPRINGS), first, PERIOD);
        while (runs.get(SPRINGS).isEmpty()) {
            Thread.sleep(LOOK_MILLIS);
        }
        long resumedNanos = awaitHalt();
        Thread.sleep(AFTERWARDS_MILLIS);
        runs.forEach((name, own) -> {
            long inOneGo = own.stream()
                    .filter(at -> at - resumedNanos
                                    > -Duration.ofMillis(LOOK_MILLIS).toNanos()
                            && at - resumedNanos < Duration.ofMillis(600).toNanos())
                    .count();
            String missed = name.equals(SPRINGS)
                    ? "0"
                    : missedOf(wheel.getTaskRegistry().get(name));
            System.out.println("> " + name + ": " + own.size() + " runs, " + inOneGo
                    + " of them within 0.6 s after the halt, " + missed + " missed");
        });
        Duration overslept = wheel.getWheelScheduledExecutor().snapshot().tick().longestOversleep();
        System.out.println(
                "> late: " + lateByTheWheel + " runs, as the tick thread overslept by " + overslept.toMillis() + " ms");
        springs.shutdown();
        wheel.shutdown();
    }

    private static String missedOf(TaskInfo task) {
        return String.valueOf(task.missed());
    }

    /** Returns when the process went on after a halt. */
    private static long awaitHalt() throws InterruptedException {
        System.out.println(READY);
        long before = System.nanoTime();
        while (true) {
            Thread.sleep(LOOK_MILLIS);
            long now = System.nanoTime();
            if (now - before > HALT_NANOS) {
                return now;
            }
            before = now;
        }
    }
}
