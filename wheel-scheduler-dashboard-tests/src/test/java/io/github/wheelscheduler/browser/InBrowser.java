package io.github.wheelscheduler.browser;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Marks a class of tests that are handed a {@link Browser}, which must have no fault to tell of after each of them. */
@Documented
@ExtendWith(BrowserExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Tag("full")
@Target(ElementType.TYPE)
@interface InBrowser {}
