package io.github.wheelscheduler.autoconfigure.testing;

import io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/** Configures all that Boot finds on the class path except durable tasks and their database. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnableAutoConfiguration(exclude = {DurableAutoConfiguration.class, DataSourceAutoConfiguration.class})
public @interface EnableAutoConfigurationButDurable {}
