package io.github.wheelscheduler.test;

import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Ends a verb that makes more runs than its cap allows. */
final class RunCap {

    private static final int MOST = 3;

    private final String verb;
    private final long maxRuns;
    private final List<Driven> driven;
    private final Clock clock;
    private final Instant start;
    private final Map<String, Long> runsBefore;

    /** The runs that no scheduler has started, by handler. */
    private final Map<String, Long> others = new HashMap<>();

    private long runs;

    RunCap(String verb, long maxRuns, List<Driven> driven, Clock clock) {
        this.verb = verb;
        this.maxRuns = maxRuns;
        this.driven = driven;
        this.clock = clock;
        this.start = clock.instant();
        this.runsBefore = Driven.runs(driven);
    }

    /** Returns how many there have been. */
    long runs() {
        return runs;
    }

    /** Counts the timers that have gone, and some more. */
    void countGone(long more) {
        count(Driven.goneOf(driven) + more);
    }

    /** Counts a run that no scheduler starts. */
    void countRunOf(String handler) {
        others.merge(handler, 1L, Long::sum);
        count(1);
    }

    void count(long more) {
        runs += more;
        if (runs > maxRuns) {
            throw new AssertionError(verb + " has made more than " + maxRuns + " runs and got from " + start + " to "
                    + clock.instant() + " only; most were of " + busiest()
                    + ". A task may reschedule itself endlessly. Otherwise set maxRuns, or advance by less");
        }
    }

    private String busiest() {
        Map<String, Long> runsNow = Driven.runs(driven);
        runsNow.replaceAll((id, number) -> number - runsBefore.getOrDefault(id, 0L));
        others.forEach((handler, number) -> runsNow.merge(handler, number, Long::sum));
        String named = runsNow.entrySet().stream()
                .filter(task -> task.getValue() > 0)
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(MOST)
                .map(task -> task.getKey() + " (" + task.getValue() + ")")
                .collect(Collectors.joining(", "));
        return named.isEmpty() ? "tasks without a name" : named;
    }
}
