package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contenders;
import java.util.List;

/** Something to measure, in variants, each on several contenders. */
public interface Figure {

    /** Returns its letter. */
    String name();

    /** Returns what it shows, in a few words. */
    String title();

    /** Returns how it is measured, in a sentence or two. */
    String method();

    List<String> variants();

    /**
     * Returns the variants with so many calling threads each, in the place of the usual ones; the usual ones if nobody
     * calls.
     */
    default List<String> variants(List<Integer> callers) {
        return variants();
    }

    List<Metric> metrics(String variant);

    /** Returns what the comparison is to show. */
    default List<Goal> goals(String variant) {
        return List.of();
    }

    /** Returns the contenders of a variant; the others are compared with the first. */
    List<String> contenders(String variant);

    /** Returns about how long one JVM takes. */
    double seconds(String variant, String contender);

    /** Returns how many JVMs are enough for this contender, as its figure hardly varies or takes long. */
    default int mostJvms(String contender) {
        return Integer.MAX_VALUE;
    }

    /** Returns what a JVM is started with in a variant, beside what all are. */
    default List<String> jvmOptions(String variant) {
        return List.of();
    }

    /** Whether it is part of a comparison on a JDK before 25. */
    default boolean isOnOlderJdks() {
        return false;
    }

    /** Whether the contender exists on the JDK of that feature version, and gets through there. */
    default boolean takesPart(int javaVersion, String contender) {
        return Contenders.isOn(javaVersion, contender);
    }

    /**
     * Measures.
     *
     * @throws IllegalStateException if something is wrong, so that no figure would mean anything
     */
    Values measure(Trial trial);
}
