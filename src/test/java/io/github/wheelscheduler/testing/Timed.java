package io.github.wheelscheduler.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Marks a class of tests that measure time or use processors up: no two of them run at once on this machine. */
@Documented
@ExtendWith(TimedLock.class)
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Tag("timed")
@Target(ElementType.TYPE)
public @interface Timed {}
