package io.github.wheelscheduler.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.annotation.Import;

/**
 * Lets the wheel schedulers of a test's application context live in {@link VirtualTime}, a bean that the test moves. Beside
 * {@code @SpringBootTest}, or any other annotation by which a test gets its context:
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureVirtualTime
 * class CleanUpTest {
 *
 *     @Autowired
 *     VirtualTime time;
 *
 *     @Test
 *     void cleansUpEveryNight() {
 *         time.advanceBy(Duration.ofDays(1));
 *         ...
 *     }
 * }
 * }</pre>
 *
 * <p>Every {@link java.time.Clock} bean of the application is replaced by the clock of this time, but for objects that were registered as
 * singletons; if it has none, there is one now. Each context has a time of its own, and contexts that differ in what is said here are
 * cached apart. Of several annotations the one counts, whole, that is nearest to the test class: its own, then those of its base classes, then
 * those of the classes around it; composed annotations are as near as their place.
 *
 * <p>Time never goes back: tests that share a context go on from where the last one has left it. They must come one after the other: while
 * one that has moved time is going on, another one that moves it fails.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(VirtualTimeConfiguration.class)
@ExtendWith(TestsInTurn.class)
public @interface AutoConfigureVirtualTime {

    /** Returns when time starts, as {@link java.time.Instant#parse} understands it. */
    String start() default "2030-01-01T00:00:00Z";

    /** Returns the zone of the clock, in which a cron without a zone is meant. */
    String zone() default "UTC";

    /** Returns how runs come that are due at one instant. */
    RunOrder order() default RunOrder.SCHEDULED;

    /** Returns whether the test moves the clock alone: without it, time that passes although no scheduler lives in it fails the test. */
    boolean clockOnly() default false;
}
