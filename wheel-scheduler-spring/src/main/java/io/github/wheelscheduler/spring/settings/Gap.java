package io.github.wheelscheduler.spring.settings;

/**
 * Handles a run at a time of day that does not exist, because clocks go forward: 02:30 in Berlin on 31 March 2030. For
 * crons whose hours are fixed; {@code *} and {@code *}{@code /2} run through.
 */
public enum Gap {
    /** It does not take place; the next one is at 02:30 on 1 April. */
    SKIP,
    /** It takes place later by the length of the gap: at 03:30 that day. */
    SHIFT
}
