package io.github.wheelscheduler.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Beside {@code @Scheduled}: runs the method once for all nodes of an application, at each time that its cron, fixed
 * rate or fixed delay names. The schedule is a row in the database, so it goes on where it was after a restart, and
 * another node takes over when one dies. A fixed rate keeps its phase.
 *
 * <pre>{@code
 * @Durable
 * @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
 * void closeTheDay() { ... }
 * }</pre>
 *
 * <p>An exception of a run is logged and counted, and the next run comes at its time. A method that cannot be durable
 * stops the start, rather than run on every node. Its scheduler must be on the wheel, and it must not return before its
 * work has ended, as with {@code @Async}, a future or a publisher.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Durable {

    /**
     * Its id in the database; class and method by default. An id that two schedules would share stops the start.
     */
    String value() default "";

    /** The treatment of runs that were due while no node was up. */
    Missed missed() default Missed.RUN_ONCE;

    /** The treatment of runs that were due while no node was up. */
    enum Missed {
        /** One run catches up for all of them. */
        RUN_ONCE,
        /** They are skipped: more than ten seconds late is too late. */
        SKIP
    }
}
