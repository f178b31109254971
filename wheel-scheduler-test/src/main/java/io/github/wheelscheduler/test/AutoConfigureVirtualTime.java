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
 * Lets the wheel schedulers of a test's application context live in {@link VirtualTime}, a bean that the test moves.
 * Beside {@code @SpringBootTest}, or any other annotation by which a test gets its context:
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
 * <p>Every {@link java.time.Clock} bean of the application is replaced by the clock of this time, but for objects that
 * were registered as singletons; an application without a clock gets this one. Clocks must be injected as {@code
 * Clock}: a replaced bean is not found by a class of its own.
 *
 * <p>Each context has a time of its own, and contexts with different values of this annotation are cached apart. Of
 * several annotations the nearest to the test class counts, as a whole. The order is the class, its base classes, the
 * classes around it; a composed annotation is as near as its place.
 *
 * <p>Durable tasks live in this time, too, and the clock of the database has no say: looks, heartbeats, claims, due
 * times and retries go by {@link VirtualTime}, on the statements of production. The database must be that of the test,
 * where no other process works.
 *
 * <p>Time never goes back: tests that share a context go on where the last one has left time. They must run one after
 * the other: while a test that has moved time goes on, another test that moves it fails.
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

    /** Returns the zone of the clock, which is the zone of a cron that names none. */
    String zone() default "UTC";

    /** Returns the order of runs that are due at one instant. */
    RunOrder order() default RunOrder.SCHEDULED;

    /** Returns whether the test moves the clock alone. If not, a verb fails while no scheduler lives in this time. */
    boolean clockOnly() default false;

    /**
     * Returns whether durable tasks live in this time, too. If not, this application is no node of them, as with {@code
     * wheel.scheduler.durable.enabled=false}: it schedules them, and none runs here.
     */
    boolean durableTasks() default true;
}
