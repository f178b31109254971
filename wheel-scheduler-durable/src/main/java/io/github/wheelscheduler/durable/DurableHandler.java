package io.github.wheelscheduler.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a method of a bean that runs durable tasks. It has one parameter, the payload, or none. Each run gets the
 * bean from the context, so that a prototype serves one run. A task runs at least once: when a node dies in the middle
 * of a run, another one runs the task again.
 *
 * <pre>{@code
 * @DurableHandler("invoice")
 * void send(Invoice invoice) { ... }
 * }</pre>
 *
 * <p>An exception of a run is a failure, and the task is tried again after a pause that doubles each time. When it has
 * failed once more than it may be retried, it is kept as {@link DurableTask.State#FAILED failed}. As a run has ended
 * when the method returns, one that may return before that, as with {@code @Async}, a future or a publisher, stops the
 * start.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DurableHandler {

    /**
     * The name by which tasks are scheduled. It is in the database, so it stays while there are tasks of that name. It
     * does not end in a space.
     */
    String value();

    /** Maximum number of retries of a failed run, 0 or more. */
    int maxRetries() default 10;

    /** The pause before the first retry, such as {@code 500ms} or {@code PT1S}; placeholders are resolved. */
    String backOff() default "1s";

    /** The longest pause. */
    String maxBackOff() default "1h";

    /**
     * Exceptions after which a task is tried again, subclasses included; all but {@link #noRetryFor} unless set. The
     * nearest class of both decides, as with Spring's {@code rollbackFor}; causes do not count. A time limit, a failed
     * commit and a lost connection are always tried again.
     */
    Class<? extends Throwable>[] retryFor() default {};

    /**
     * Exceptions after which a task is given up at once, without any of {@code maxRetries}, subclasses but those of
     * {@link #retryFor} included.
     */
    Class<? extends Throwable>[] noRetryFor() default {};

    /** Maximum number of its runs at a time on a node, at least 1; the number of workers of the node unless set. */
    int maxConcurrent() default Integer.MAX_VALUE;

    /**
     * After how long a run is interrupted, such as {@code 30s}; placeholders are resolved. One that throws then has
     * failed; one that ends as if nothing had been has not. Never unless set.
     */
    String timeLimit() default "";

    /**
     * Whether a run is one transaction with the end of its task: what it has done in the database of durable tasks is
     * there if the task has ended well, and only then. A run that throws, or marks its transaction for rollback, has
     * failed. A run holds one connection; what it does in a transaction of its own, as with {@code REQUIRES_NEW}, is
     * outside.
     */
    boolean transactional() default false;

    /**
     * The bean name or qualifier of the {@code PlatformTransactionManager} of {@link #transactional}; placeholders are
     * resolved. It is needed if there are several for the {@code DataSource} of durable tasks, and for one that does
     * not know its {@code DataSource}, such as that of JTA. The only one of this {@code DataSource} unless set.
     */
    String transactionManager() default "";
}
