package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.named;
import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.SchedulerDescriptor.State;
import java.time.Duration;
import java.time.Instant;
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
 * The rules for a scheduler or a group: whether it hands runs over, and whether workers take them. Short-lived
 * conditions are no findings.
 *
 * @param seen the scheduler
 * @param running returns what its workers run
 * @param rises of its counts
 * @param now by its clock
 */
record SchedulerFindings(SchedulerDescriptor seen, Supplier<List<RunningTask>> running, CountRises rises, Instant now) {

    static final String STATE = "state";

    /** Shorter delays are normal. */
    private static final Duration LATE = Duration.ofSeconds(1);

    private static final Duration MUCH_TOO_LATE = Duration.ofSeconds(10);
    private static final int MOST_NAMED = 3;

    private static final String TICK_THREAD_DIED =
            "The tick thread has died: no task runs until the application restarts";

    /** The suffix that distinguishes the second task of a name from the first. */
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
            return finding("tickThread", Severity.ERROR, TICK_THREAD_DIED);
        }
        Duration stuck = seen.tickThread().stuckFor();
        return stuck.compareTo(LATE) < 0
                ? null
                : finding("tickThread", worse(stuck), "The tick thread is " + about(stuck) + " behind");
    }

    /** It does not run, as it was told not to. */
    @Nullable
    Finding state() {
        String wait = seen.ready() == 0 ? "" : "; " + waiting(seen.ready(), "due run");
        return switch (seen.state()) {
            case RUNNING -> null;
            case PAUSED -> finding(STATE, Severity.WARNING, paused() + wait);
            case HALTED ->
                finding(
                        STATE,
                        Severity.WARNING,
                        "The scheduler is halted: due tasks wait until its mode changes" + wait);
            case OFF -> finding(STATE, Severity.INFO, "The scheduler is off: scheduled tasks do not run");
            case SHUT_DOWN ->
                finding(
                        STATE,
                        Severity.WARNING,
                        "The scheduler has shut down and accepts no tasks; restart the application");
        };
    }

    private String paused() {
        SchedulerDescriptor.Pause pause = seen.pause();
        if (pause == null) {
            return "The scheduler is paused";
        }
        Duration ago = Duration.between(pause.at(), now);
        boolean isFresh = ago.compareTo(LATE) < 0;
        String begin = isFresh ? "The scheduler is paused" : "The scheduler has been paused";
        return (pause.by() == null ? begin : "Paused by " + pause.by())
                + (isFresh ? "" : " for " + about(ago))
                + (pause.reason() == null ? "" : ": " + pause.reason());
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
                        "The machine or the process stalled for " + about(longest) + " in the last two minutes");
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
                        "The wall clock was set " + counted(rise.by(), "time") + " in the last " + about(rise.within())
                                + "; cron tasks follow it");
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
        List<String> said = new ArrayList<>();
        for (Map.Entry<String, List<Duration>> entry : most) {
            int runs = entry.getValue().size();
            String each = named(entry.getKey()) + " " + about(median(entry.getValue()));
            said.add(runs == 1 ? each : runs + " × " + each + " at the median");
        }
        if (byName.size() > most.size()) {
            said.add("and others");
        }
        String busy = max == 1 ? "The only worker is busy" : (max == 2 ? "Both" : "All " + max) + " workers are busy";
        String text = busy + (said.isEmpty() ? "" : " (" + String.join(", ", said) + ")") + "; "
                + waiting(seen.ready(), "run");
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
                                : seen.ready() + " due runs are waiting for a worker, the longest for "
                                        + about(seen.oldestReady()));
    }

    private boolean isOnTime() {
        return seen.state() != State.RUNNING
                || seen.ready() == 0
                || seen.oldestReady().compareTo(LATE) < 0;
    }

    /** Runs of the last minutes started late, because of the wheel or because no worker was free. */
    @Nullable
    Finding lateness() {
        Duration wheel = seen.lateness().p99().wheel();
        Duration queue = seen.lateness().p99().queue();
        List<String> stages = new ArrayList<>();
        if (wheel.compareTo(LATE) >= 0) {
            stages.add("left the wheel at least " + about(wheel) + " late");
        }
        if (queue.compareTo(LATE) >= 0) {
            stages.add("waited at least " + about(queue) + " for a worker");
        }
        return stages.isEmpty()
                ? null
                : finding(
                        "lateness",
                        Severity.WARNING,
                        "In the last two minutes the slowest 1 % of runs "
                                + String.join(", and the slowest 1 % ", stages));
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
                        counted(rise.by(), "run") + (rise.by() == 1 ? " was" : " were") + " skipped in the last "
                                + about(rise.within()) + " because the group was full");
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
                        counted(rise.by(), "task") + (rise.by() == 1 ? " was" : " were") + " rejected in the last "
                                + about(rise.within()) + "; the TaskRejectedException of each call names the reason");
    }

    private boolean isGroup() {
        return seen.group() != null;
    }

    private static Severity worse(Duration late) {
        return late.compareTo(MUCH_TOO_LATE) < 0 ? Severity.WARNING : Severity.ERROR;
    }

    private static String waiting(long number, String what) {
        return counted(number, what) + (number == 1 ? " is" : " are") + " waiting";
    }

    private static String counted(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private Finding finding(String rule, Severity severity, String text) {
        return Finding.of(seen, rule, severity, null, 0, text);
    }
}
