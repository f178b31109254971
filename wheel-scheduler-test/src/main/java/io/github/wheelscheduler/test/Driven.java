package io.github.wheelscheduler.test;

import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskInfo;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An executor in virtual time, or a scheduler with one; the scheduler may not be initialized yet. */
final class Driven {

    private static final int MANY = 10_000;
    private static final int SOME = 10;

    private final @Nullable WheelTaskScheduler scheduler;
    private @Nullable WheelScheduledExecutor executor;

    /** Its tick thread has been seen. */
    private boolean isStarted;

    /**
     * The number of timers that were allowed to go; 0 if the executor is to be told again. Writers: the thread of a
     * verb, and the first one that sees another executor.
     */
    private int allowed;

    Driven(WheelTaskScheduler scheduler) {
        this.scheduler = scheduler;
    }

    Driven(WheelScheduledExecutor executor) {
        this.scheduler = null;
        this.executor = executor;
    }

    boolean isOf(WheelTaskScheduler other) {
        return scheduler == other;
    }

    boolean isOf(WheelScheduledExecutor other) {
        return executor() == other;
    }

    /** Returns the executor of this moment: a scheduler may be initialized again. Any thread. */
    private synchronized @Nullable WheelScheduledExecutor executor() {
        if (scheduler != null && scheduler.isInitialized()) {
            WheelScheduledExecutor current = scheduler.getWheelScheduledExecutor();
            if (current != executor) {
                executor = current;
                isStarted = false;
                allowed = 0;
            }
        }
        return executor;
    }

    /** Whether the executor exists, which may have ended; a group alone runs nothing. */
    boolean isThere() {
        WheelScheduledExecutor current = executor();
        return current != null && !isGroup(current);
    }

    /** Whether the executor has a tick thread that reads time and waits for it. Any thread. */
    synchronized boolean hasTickThread() {
        WheelScheduledExecutor current = executor();
        if (current == null || current.isTerminated() || isGroup(current)) {
            return false;
        }
        if (!isStarted) {
            isStarted = current.snapshot().tick().state() == WheelSnapshot.State.RUNNING;
        }
        return isStarted;
    }

    boolean isQuiet() {
        WheelScheduledExecutor current = executor();
        return current == null || current.isTerminated() || current.isQuiet();
    }

    /** Releases this number of timers, unless earlier released ones have not fired yet. */
    void letGo(int timers) {
        WheelScheduledExecutor current = executor();
        if (current != null && allowed == 0 && !isGroup(current)) {
            allowed = timers;
            current.allow(timers);
        }
    }

    private long[] dueNanos(int most) {
        WheelScheduledExecutor current = executor();
        return current == null ? new long[0] : current.dueNanos(most);
    }

    /** Returns the wheel whose first due timer comes first, the first such one; null if none has any. */
    static @Nullable Driven firstOf(List<Driven> wheels) {
        Driven first = null;
        long firstNanos = 0;
        for (Driven wheel : wheels) {
            long[] due = wheel.dueNanos(1);
            if (due.length > 0 && (first == null || due[0] - firstNanos < 0)) {
                first = wheel;
                firstNanos = due[0];
            }
        }
        if (first != null) {
            first.choose(null);
        }
        return first;
    }

    /** Returns the wheel of a due timer chosen at random, and lets that timer go next there; null if none is due. */
    static @Nullable Driven anyOf(List<Driven> wheels, SplittableRandom random) {
        int[] counts = wheels.stream()
                .mapToInt(wheel -> wheel.dueNanos(Integer.MAX_VALUE).length)
                .toArray();
        int sum = Arrays.stream(counts).sum();
        int chosen = sum == 0 ? 0 : random.nextInt(sum);
        for (int i = 0; i < counts.length; i++) {
            if (chosen < counts[i]) {
                int index = chosen;
                wheels.get(i).choose(number -> Math.min(index, number - 1));
                return wheels.get(i);
            }
            chosen -= counts[i];
        }
        return null;
    }

    private void choose(@Nullable IntUnaryOperator choice) {
        WheelScheduledExecutor current = executor();
        if (current != null) {
            current.setChoice(choice);
        }
    }

    /** Returns how many of the released timers have fired. */
    static long goneOf(List<Driven> all) {
        long gone = 0;
        for (Driven driven : all) {
            WheelScheduledExecutor current = driven.executor();
            if (current != null && driven.allowed > 0 && current.allowed() < driven.allowed) {
                gone += driven.allowed - current.allowed();
                driven.allowed = 0;
            }
        }
        return gone;
    }

    void letNoneGo() {
        WheelScheduledExecutor current = executor();
        if (current != null && !isGroup(current)) {
            current.allow(0);
        }
        allowed = 0;
    }

    void checkWallClock() {
        WheelScheduledExecutor current = executor();
        if (current != null) {
            current.checkWallClock();
        }
    }

    Stream<Duration> untilFirstDue() {
        WheelScheduledExecutor current = executor();
        return Stream.ofNullable(current == null || isGroup(current) ? null : current.untilFirstDue());
    }

    /** Timers of a group are released with those of its executor, on one tick thread. */
    private static boolean isGroup(WheelScheduledExecutor executor) {
        return executor.groupName() != null;
    }

    /** Returns how many runs have started. */
    static long fired(List<Driven> all) {
        return all.stream()
                .flatMap(one -> Stream.ofNullable(one.executor()))
                .mapToLong(executor -> executor.snapshot().totals().fired())
                .sum();
    }

    boolean knows(String id) {
        return scheduler != null && scheduler.getTaskRegistry().find(id).isPresent();
    }

    Stream<RunningTask> running() {
        WheelScheduledExecutor current = executor();
        return current == null ? Stream.empty() : current.runningFor(Duration.ZERO).stream();
    }

    private Stream<TaskInfo> tasks() {
        return scheduler == null ? Stream.empty() : scheduler.getTaskRegistry().list(0, MANY).stream();
    }

    /** Returns how many runs each task has had. */
    static Map<String, Long> runs(List<Driven> all) {
        Map<String, Long> runs = new LinkedHashMap<>();
        all.stream().flatMap(Driven::tasks).forEach(task -> runs.merge(task.id(), task.runs(), Long::sum));
        return runs;
    }

    static String describe(List<Driven> all) {
        List<TaskInfo> tasks = all.stream().flatMap(Driven::tasks).toList();
        String more = tasks.size() > SOME ? " and " + (tasks.size() - SOME) + " more" : "";
        return tasks.stream()
                        .limit(SOME)
                        .map(task -> task.id() + " (" + task.schedule().kind() + " "
                                + task.schedule().text() + ", " + task.runs() + " runs, next "
                                + (task.next() == null ? "none" : task.next()) + ")")
                        .collect(Collectors.joining(", ", "[", "]"))
                + more;
    }
}
