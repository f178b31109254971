package io.github.wheelscheduler.durable.internal;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** How late runs were, in microseconds, and how often each task has run. */
final class MeasuredLateness {

    private final long[] sorted;
    private final Map<String, Integer> times = new HashMap<>();
    final long early;

    private MeasuredLateness(List<MeasuredLog.Run> runs, ToLongFunction<String> due) {
        sorted = runs.stream()
                .mapToLong(run -> run.atMicros() - due.applyAsLong(run.id()))
                .sorted()
                .toArray();
        early = runs.stream()
                .filter(run -> run.atMicros() + run.errorMicros() < due.applyAsLong(run.id()))
                .count();
        for (MeasuredLog.Run run : runs) {
            times.merge(run.id(), 1, Integer::sum);
        }
    }

    /** Of tasks that are called t0 and so on, the first of which is due then, and each other a step later. */
    static MeasuredLateness of(List<MeasuredLog.Run> runs, long firstMicros, long stepMicros) {
        return of(runs, id -> firstMicros + stepMicros * number(id));
    }

    static MeasuredLateness of(List<MeasuredLog.Run> runs, ToLongFunction<String> due) {
        return new MeasuredLateness(runs, due);
    }

    static long number(String id) {
        return Long.parseLong(id.substring(1));
    }

    static List<MeasuredLog.Run> only(List<MeasuredLog.Run> runs, Predicate<String> ids) {
        return runs.stream().filter(run -> ids.test(run.id())).toList();
    }

    int tasks() {
        return times.size();
    }

    Set<String> moreThanOnce() {
        Set<String> ids = new HashSet<>();
        times.forEach((id, number) -> {
            if (number > 1) {
                ids.add(id);
            }
        });
        return ids;
    }

    String millis(double quantile) {
        return sorted.length == 0
                ? "-"
                : millis(sorted[(int) Math.min(sorted.length - 1, Math.round(quantile * (sorted.length - 1)))]);
    }

    /** Returns how late the earliest one was, which is less than zero if it was early. */
    String least() {
        return sorted.length == 0 ? "-" : millis(sorted[0]);
    }

    String most() {
        return sorted.length == 0 ? "-" : millis(sorted[sorted.length - 1]);
    }

    long mostMicros() {
        return Arrays.stream(sorted).max().orElse(0);
    }

    /** Returns p50, p99, the most and the least, as cells of a table. */
    String cells() {
        return millis(0.5) + " | " + millis(0.99) + " | " + most() + " | " + least();
    }

    static String millis(long micros) {
        return String.format(java.util.Locale.ROOT, "%.1f", micros / 1_000.0);
    }
}
