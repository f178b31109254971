package io.github.wheelscheduler.spring.settings;

/**
 * The misfire policy: handles runs that were missed because the process was stopped or paused, or a run took too long.
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
 * All of them continue at 12:00:25.
 *
 * <p>A cron task never makes up more than one run: it runs once with {@link #LATEST}, as Spring's do. With {@link
 * #SKIP}, a run that would start more than five seconds after its instant does not take place.
 */
public enum MissedRuns {
    /** Missed runs are caught up, {@code max-catch-up} at most; for fixed rates only, whose default it is. */
    CATCH_UP,
    /** One run replaces all missed ones. */
    LATEST,
    /** No missed run is caught up. */
    SKIP
}
