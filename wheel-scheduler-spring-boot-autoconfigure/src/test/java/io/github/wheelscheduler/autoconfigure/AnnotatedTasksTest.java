package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.unscanned.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

/** Which methods are taken for tasks: the ones that Spring schedules, with what their annotations say. */
class AnnotatedTasksTest {

    @Retention(RetentionPolicy.RUNTIME)
    @Scheduled(fixedDelay = 1, initialDelay = 1, timeUnit = TimeUnit.HOURS)
    @WheelTask(id = "task")
    @interface Hourly {}

    interface ByDefault {
        @Hourly
        default void run() {}
    }

    static class OfInterface implements ByDefault {}

    abstract static class Inherited<T> {
        @Hourly
        void run() {}

        void take(T value) {}
    }

    static class OfSuperclass extends Inherited<String> {
        @Override
        void take(String value) {}
    }

    /** Its public method has a bridge in the class that can be seen. */
    static class Hidden {
        @Hourly
        public void run() {}
    }

    public static class Bridged extends Hidden {}

    static class Private {
        @Hourly
        @SuppressWarnings("UnusedMethod") // by Spring
        private void run() {}
    }

    static class Overriding extends OfSuperclass implements ByDefault {
        @Override
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {Documented.Hourly.class, OfInterface.class, OfSuperclass.class, Bridged.class, Private.class})
    void knowsWhatSpringSchedules(Class<?> type) {
        assertThat(idsWith(type)).contains("task");
    }

    @ParameterizedTest
    @ValueSource(classes = {Documented.Unscheduled.class, Overriding.class})
    void takesNothingElseForATask(Class<?> type) {
        assertThat(idsWith(type, type)).doesNotContain("task");
    }

    @Test
    void typesThatOthersInheritFromAreKnown() {
        assertThat(idsWith(Overriding.class, OfSuperclass.class)).contains("task");
    }

    /**
     * Returns the ids of tasks in an application with beans of these types, which Spring only learns from the beans.
     */
    private static List<String> idsWith(Class<?>... types) {
        List<String> ids = new ArrayList<>();
        ApplicationContextRunner application = withScheduling();
        for (int i = 0; i < types.length; i++) {
            Object bean = BeanUtils.instantiateClass(types[i]);
            application = application.withBean("bean" + i, Object.class, () -> bean);
        }
        application.run(context -> ids.addAll(wheelOf(context).getTaskRegistry().ids()));
        return ids;
    }
}
