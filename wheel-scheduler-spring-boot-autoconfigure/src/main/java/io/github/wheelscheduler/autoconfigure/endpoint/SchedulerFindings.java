package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.named;
import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.SchedulerDescriptor.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules for a scheduler or a group: whether it hands runs over, and whether workers take them. What is a matter of course for a
 * moment is no finding.
 *
 * @param seen the scheduler
 * @param running returns what its workers run
 * @param rises of its counts
 */
record SchedulerFindings(SchedulerDescriptor seen, Supplier<List<RunningTask>> running, CountRises rises) {

    static final String STATE = "state";

    /** What is shorter is a matter of course. */
    private static final Duration LATE = Duration.ofSeconds(1);

    private static final Duration MUCH_TOO_LATE = Duration.ofSeconds(10);
    private static final int MOST_NAMED = 3;

    /** What tells the second task of a name from the first. */
    private static final Pattern NUMBER = Pattern.compile("~\\d+$");

    List<Finding> all() {
        return Stream.of(
                        tickThread(),
                        state(),
                        stoodStill(),
                        clockSet(),
                        workersBusy(),
                        queue(),
                        lateness(),
                        groupFull(),
                        rejected())
                .filter(Objects::nonNull)
                .toList();
    }

    /** The tick thread has died, or is overdue itself. */
    @Nullable
    Finding tickThread() {
        if (isGroup()) {
            return null;
        }
        if (seen.tickThread().state() == WheelSnapshot.State.DEAD) {
            return finding("tickThread", Severity.ERROR, "the tick thread has died, so nothing will run any more");
        }
        Duration stuck = seen.tickThread().stuckFor();
        return stuck.compareTo(LATE) < 0
                ? null
                : finding("tickThread", worse(stuck), "the tick thread is overdue by " + about(stuck));
    }

    /** It does not run, as it was told not to. */
    @Nullable
    Finding state() {
        String wait = seen.ready() == 0 ? "" : "; " + counted(seen.ready(), "due run") + " wait";
        return switch (seen.state()) {
            case RUNNING -> null;
            case PAUSED -> finding(STATE, Severity.WARNING, "the scheduler is paused" + wait);
            case HALTED ->
                finding(
                        STATE,
                        Severity.WARNING,
                        "the scheduler is halted: what is due waits until its mode changes" + wait);
            case OFF -> finding(STATE, Severity.INFO, "the scheduler is off: scheduled tasks do not run");
            case SHUT_DOWN -> finding(STATE, Severity.WARNING, "the scheduler has been shut down and accepts no task");
        };
    }

    /** The tick thread has slept for much longer than it wanted to. */
    @Nullable
    Finding stoodStill() {
        Duration longest = seen.tickThread().longestOversleep();
        return isGroup() || longest.compareTo(LATE) < 0
                ? null
                : finding(
                        "stoodStill",
                        Severity.WARNING,
                        "the machine or the process stood still for " + about(longest) + " in the last two minutes");
    }

    @Nullable
    Finding clockSet() {
        if (isGroup()) {
            return null;
        }
        CountRises.Rise rise =
                rises.note("clock " + seen.name(), seen.tickThread().clockJumps());
        return rise.by() == 0
                ? null
                : finding(
                        "clockSet",
                        Severity.INFO,
                        "the wall clock was set " + counted(rise.by(), "time") + " in the last " + about(rise.within())
                                + "; crons follow it");
    }

    /** All workers are busy, and a run has been waiting for one. */
    @Nullable
    Finding workersBusy() {
        Integer max = seen.workers().max();
        if (max == null || seen.workers().active() < max || isOnTime()) {
            return null;
        }
        Map<String, List<Duration>> byName = new HashMap<>();
        for (RunningTask run : running.get()) {
            String name = NUMBER.matcher(NamedTask.of(run.task())).replaceFirst("");
            byName.computeIfAbsent(name, unused -> new ArrayList<>()).add(run.runningFor());
        }
        List<Map.Entry<String, List<Duration>>> most = byName.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, List<Duration>>>comparingInt(
                                entry -> -entry.getValue().size())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_NAMED)
                .toList();
        List<String> said = most.stream()
                .map(entry -> entry.getValue().size() + " in " + named(entry.getKey()) + ", for "
                        + about(median(entry.getValue())) + " at the median")
                .toList();
        boolean isMostly = !most.isEmpty() && most.get(0).getValue().size() * 2 > max;
        String text = isMostly
                ? most.get(0).getValue().size() + " of " + max + " workers are"
                        + said.get(0).substring(said.get(0).indexOf(' '))
                : "all " + max + " workers are busy" + (said.isEmpty() ? "" : ": " + String.join("; ", said));
        return finding("workersBusy", worse(seen.oldestReady()), text);
    }

    private static Duration median(List<Duration> durations) {
        Collections.sort(durations);
        return durations.get(durations.size() / 2);
    }

    /** Due runs have been waiting for a worker. */
    @Nullable
    Finding queue() {
        return isOnTime()
                ? null
                : finding(
                        "queue",
                        worse(seen.oldestReady()),
                        seen.ready() == 1
                                ? "1 due run has been waiting for a worker for " + about(seen.oldestReady())
                                : seen.ready() + " due runs wait for a worker, the first of them for "
                                        + about(seen.oldestReady()));
    }

    private boolean isOnTime() {
        return seen.state() != State.RUNNING
                || seen.ready() == 0
                || seen.oldestReady().compareTo(LATE) < 0;
    }

    /** Runs of the last minutes started late, by the wheel or for want of a worker. */
    @Nullable
    Finding lateness() {
        Duration wheel = seen.lateness().p99().wheel();
        Duration queue = seen.lateness().p99().queue();
        return wheel.compareTo(LATE) < 0 && queue.compareTo(LATE) < 0
                ? null
                : finding(
                        "lateness",
                        Severity.WARNING,
                        "of the runs of the last two minutes, 1 % were handed over late by " + about(wheel)
                                + " or more by the wheel, and 1 % waited " + about(queue) + " or more for a worker");
    }

    @Nullable
    Finding groupFull() {
        CountRises.Rise rise =
                rises.note("full " + seen.name(), seen.counts().skipped().full());
        return rise.by() == 0
                ? null
                : finding(
                        "groupFull",
                        Severity.ERROR,
                        counted(rise.by(), "run") + " did not start in the last " + about(rise.within())
                                + ", as the group was full");
    }

    @Nullable
    Finding rejected() {
        if (isGroup()) {
            return null;
        }
        CountRises.Rise rise =
                rises.note("rejected " + seen.name(), seen.counts().rejected());
        return rise.by() == 0
                ? null
                : finding(
                        "rejected",
                        Severity.ERROR,
                        counted(rise.by(), "task") + (rise.by() == 1 ? " was" : " were") + " not accepted in the last "
                                + about(rise.within()));
    }

    private boolean isGroup() {
        return seen.group() != null;
    }

    private static Severity worse(Duration late) {
        return late.compareTo(MUCH_TOO_LATE) < 0 ? Severity.WARNING : Severity.ERROR;
    }

    private static String counted(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private Finding finding(String rule, Severity severity, String text) {
        return Finding.of(seen, rule, severity, null, text);
    }
}
