package io.github.wheelscheduler.soak;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What was found to be wrong: how often each rule was broken, with the first cases of each. It is kept without
 * allocating, so that it can be found while memory is out.
 */
final class Findings {

    private static final int MOST_RULES = 32;
    private static final int CASES = 4;

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReferenceArray<String> rules = new AtomicReferenceArray<>(MOST_RULES);
    private final AtomicIntegerArray counts = new AtomicIntegerArray(MOST_RULES);
    private final AtomicLongArray numbers = new AtomicLongArray(MOST_RULES * CASES);
    private final AtomicLongArray expected = new AtomicLongArray(MOST_RULES * CASES);
    private final AtomicLongArray seen = new AtomicLongArray(MOST_RULES * CASES);

    /** Adds one: the rule that was broken, the number of the timer, and two numbers that the rule is about. */
    void add(String rule, long number, long expectedValue, long seenValue) {
        int place = placeOf(rule);
        int earlier = counts.getAndIncrement(place);
        if (earlier < CASES) {
            numbers.set(place * CASES + earlier, number);
            expected.set(place * CASES + earlier, expectedValue);
            seen.set(place * CASES + earlier, seenValue);
        }
        count.incrementAndGet();
    }

    private int placeOf(String rule) {
        int place = 0;
        while (!rule.equals(rules.get(place)) && !rules.compareAndSet(place, null, rule)) {
            place++;
        }
        return place;
    }

    int count() {
        return count.get();
    }

    /** Prints what was found, and the stacks of all threads. */
    void print(PrintStream out) {
        for (int place = 0; place < MOST_RULES && rules.get(place) != null; place++) {
            out.println("WRONG: " + rules.get(place) + ", broken " + counts.get(place) + " times");
            for (int i = place * CASES; i < place * CASES + Math.min(CASES, counts.get(place)); i++) {
                out.println("    number " + numbers.get(i) + ", expected " + expected.get(i) + ", seen " + seen.get(i));
            }
        }
        for (Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            out.println(entry.getKey() + " " + entry.getKey().getState());
            for (StackTraceElement frame : entry.getValue()) {
                out.println("    at " + frame);
            }
        }
    }
}
