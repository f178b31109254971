package io.github.wheelscheduler.spring.settings;

/**
 * What becomes of runs that could not take place when they were due, because the process was stopped or paused, or a run took too long.
 * The phase stays in any case.
 *
 * <p>A rate of 5 s was due at 12:00:00, and the process was stopped until 12:00:22. Then, at 12:00:22,
 *
 * <ul>
 *   <li>{@link #CATCH_UP} runs five times, one after the other: for 12:00:00, :05, :10, :15 and :20;
 *   <li>{@link #LATEST} runs once;
 *   <li>{@link #SKIP} does not run.
 * </ul>
 *
 * All of them go on at 12:00:25.
 *
 * <p>A cron task never makes up more than one run: it runs once with {@link #LATEST}, as Spring's do. With {@link #SKIP}, a run
 * that would start more than five seconds after its instant does not take place.
 */
public enum MissedRuns {
    /** All that have been missed are made up, but no more than {@code max-catch-up}; for fixed rates only, whose default it is. */
    CATCH_UP,
    /** One run stands for all. */
    LATEST,
    /** None is made up. */
    SKIP
}
