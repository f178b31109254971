package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.Overlap;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Settings of a {@code @Scheduled} method beyond Spring's annotation. Read if the auto-configuration of this scheduler
 * is present.
 *
 * <pre>{@code
 * @Scheduled(fixedRate = 5_000)
 * @WheelTask(id = "import", missedRuns = MissedRuns.LATEST, backOff = @WheelTask.BackOff(delay = "10s"),
 *         pauseAfterFailures = 20)
 * void importOrders() { ... }
 * }</pre>
 *
 * <p>Text values may contain placeholders, as in {@code "${import.jitter}"}; an empty text sets nothing. Durations are
 * written as in properties: {@code 10s} or {@code PT10S}. The properties {@code wheel.scheduler.tasks.<id>.*} go over
 * what is set here, one by one.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface WheelTask {

    /** Returns the same as {@link #id}. */
    @AliasFor("id")
    String value() default "";

    /** Returns the id of the method's tasks, in place of class and method; no other method may have it. */
    @AliasFor("value")
    String id() default "";

    /** Returns whether the task runs at all: {@code true} or {@code false}. */
    String enabled() default "";

    /** Returns the treatment of missed runs; one, or none for the default. */
    MissedRuns[] missedRuns() default {};

    /** Returns how much later than it is due each run starts at most. */
    String jitter() default "";

    /** Returns how the jitter is chosen; one, or none for the default. */
    JitterKind[] jitterKind() default {};

    /** Returns how late a run may start so that it shares a wake-up with others. */
    String startTolerance() default "";

    /** Returns the treatment of runs at times of day that do not exist; one, or none for Spring's treatment. */
    Gap[] gap() default {};

    /** Returns the treatment of runs at times of day that occur twice; one, or none for Spring's treatment. */
    Overlap[] overlap() default {};

    /** Returns how long a run may take before its thread is interrupted. */
    String timeLimit() default "";

    /** Returns how long the task rests after failures; one, or none for no rest. */
    BackOff[] backOff() default {};

    /** Returns after how many failures in a row the task is paused; 0 for never. */
    int pauseAfterFailures() default 0;

    /**
     * Returns whether runs are observed; {@code false} disables it. Nothing else need be set for {@code true}, as
     * Spring observes annotated methods.
     */
    String observe() default "";

    /** For how long a task rests after failures, see {@link io.github.wheelscheduler.spring.settings.BackOff}. */
    @Target({})
    @Retention(RetentionPolicy.RUNTIME)
    @interface BackOff {

        /** Returns the rest after the first failure. */
        String delay();

        /** Returns how much longer each rest is than the one before. */
        double multiplier() default io.github.wheelscheduler.spring.settings.BackOff.DEFAULT_MULTIPLIER;

        /** Returns the longest rest; an hour by default or, if that is longer, the delay. */
        String maxDelay() default "";
    }
}
