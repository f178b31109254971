package io.github.wheelscheduler.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Beside {@code @Scheduled}: runs the method once for all nodes of an application, at each time that its cron, fixed rate or fixed delay names. The schedule is a row in the
 * database, so it goes on where it was after a restart, and another node takes over when one dies. A fixed rate keeps its phase.
 *
 * <pre>{@code
 * @Durable
 * @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
 * void closeTheDay() { ... }
 * }</pre>
 *
 * <p>What a run throws is logged and counted, and the next run comes at its time. Where a method cannot be durable, as with a scheduler of its own that
 * is not on the wheel, or if it may return before it has ended, as with {@code @Async}, a future or a publisher, the start stops: it never runs on every node in
 * silence.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Durable {

    /** What it is called in the database; class and method by default. An id that two schedules would share stops the start. */
    String value() default "";

    /** What becomes of a run whose time has come while no node was there. */
    Missed missed() default Missed.RUN_ONCE;

    /** What becomes of runs whose time has come while no node was there. */
    enum Missed {
        /** However many they were, one run makes up for them. */
        RUN_ONCE,
        /** They are left out: more than ten seconds late is too late. */
        SKIP
    }
}
