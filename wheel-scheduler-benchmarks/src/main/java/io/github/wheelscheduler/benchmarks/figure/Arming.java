package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/**
 * Fills a contender with timers that stay pending, and collects garbage afterwards. Timers that have been pending for a
 * while are in the old generation, and the collector must not promote them during a measurement.
 */
final class Arming {

    static final long SECOND_NANOS = 1_000_000_000L;
    static final long HOUR_NANOS = 3_600 * SECOND_NANOS;

    private Arming() {}

    /** Arms timers that are due in one to two hours, and does not hold them. */
    static void forHours(Contender contender, int count, long seed) {
        Xorshift random = new Xorshift(seed);
        for (int i = 0; i < count; i++) {
            Object ignored = contender.schedule(BenchTask.NOTHING, random.between(HOUR_NANOS, 2 * HOUR_NANOS));
        }
        long ignored = contender.absorb();
        System.gc();
    }

    /** Arms timers that are due in one to six minutes, and returns their handles. */
    static Object[] forMinutes(Contender contender, int count, Xorshift random) {
        Object[] handles = new Object[count];
        for (int i = 0; i < count; i++) {
            handles[i] = contender.schedule(BenchTask.NOTHING, minutes(random));
        }
        long ignored = contender.absorb();
        System.gc();
        return handles;
    }

    static long minutes(Xorshift random) {
        return random.between(60 * SECOND_NANOS, 360 * SECOND_NANOS);
    }

    /** Returns a variant for each number of calling threads. */
    static List<String> variantsOf(List<Integer> callers) {
        return callers.stream()
                .map(count -> count + (count == 1 ? "-thread" : "-threads"))
                .toList();
    }

    static int threadsOf(String variant) {
        return Integer.parseInt(variant.substring(0, variant.indexOf('-')));
    }

    /** Reads a number such as {@code 100k} or {@code 5M}. */
    static int numberOf(String variant) {
        int last = variant.length() - 1;
        return switch (variant.charAt(last)) {
            case 'k' -> 1_000 * Integer.parseInt(variant.substring(0, last));
            case 'M' -> 1_000_000 * Integer.parseInt(variant.substring(0, last));
            default -> Integer.parseInt(variant);
        };
    }
}
