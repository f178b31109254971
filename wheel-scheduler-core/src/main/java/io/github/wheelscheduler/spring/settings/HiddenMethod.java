package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the bean behind Spring's private wrapper, where its text could mean several: a method that two beans inherit. It is asked for
 * nothing else, and whoever asks has to do without where it does not know.
 */
final class HiddenMethod {

    private static final String FIELD = "runnable";

    private HiddenMethod() {}

    static @Nullable String idOf(Object wrapper, List<TaskDeclaration> known) {
        if (!(behind(wrapper) instanceof ScheduledMethodRunnable method)) {
            return null;
        }
        Class<?> type = AopUtils.getTargetClass(method.getTarget());
        return known.stream()
                .filter(one -> one.type() == type)
                .map(TaskDeclaration::id)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Object behind(Object wrapper) {
        try {
            Field field = ReflectionUtils.findField(wrapper.getClass(), FIELD, Runnable.class);
            if (field == null) {
                return null;
            }
            ReflectionUtils.makeAccessible(field);
            return ReflectionUtils.getField(field, wrapper);
        } catch (RuntimeException ex) {
            // As in an image built ahead of time that has no record of the field.
            return null;
        }
    }
}
