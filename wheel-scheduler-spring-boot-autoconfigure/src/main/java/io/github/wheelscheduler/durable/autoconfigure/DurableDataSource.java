package io.github.wheelscheduler.durable.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@link javax.sql.DataSource} that has the table of durable tasks, if that is neither the only nor the
 * primary one. {@code DurableTasks} then takes part in transactions of the transaction manager of this one.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * @DurableDataSource
 * DataSource tasksDataSource() { ... }
 * }</pre>
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DurableDataSource {}
