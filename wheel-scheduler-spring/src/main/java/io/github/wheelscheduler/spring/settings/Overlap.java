package io.github.wheelscheduler.spring.settings;

/**
 * Handles a run at a time of day that occurs twice, because clocks go back: 02:30 in Berlin on 27 October 2030, which
 * is 00:30 and 01:30 UTC. For crons whose hours are fixed; {@code *} and {@code *}{@code /2} run through.
 */
public enum Overlap {
    /** It takes place the first time: at 00:30 UTC. */
    FIRST,
    /** It takes place the second time: at 01:30 UTC. */
    SECOND,
    /** It takes place both times. */
    BOTH
}
