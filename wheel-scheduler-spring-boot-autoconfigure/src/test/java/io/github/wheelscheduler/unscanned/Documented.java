package io.github.wheelscheduler.unscanned;

import io.github.wheelscheduler.spring.WheelTask;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.TimeUnit;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

/** Has an annotation that cannot be read. It is in a package of its own, as a scan of components would fail at it. */
public interface Documented {

    @Retention(RetentionPolicy.RUNTIME)
    @interface Unreadable {
        @AliasFor("nothing")
        String value() default "";
    }

    @Unreadable
    void run();

    class Unscheduled implements Documented {
        @Override
        public void run() {}
    }

    class Hourly implements Documented {
        @Override
        @Scheduled(fixedDelay = 1, initialDelay = 1, timeUnit = TimeUnit.HOURS)
        @WheelTask(id = "task")
        public void run() {}
    }
}
