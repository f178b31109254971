package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the method behind Spring's private wrapper, where its text could mean several: a method that two beans inherit,
 * or reactive methods of beans with proxies of the same interface. Callers have to do without where it finds none.
 */
final class HiddenMethod {

    private HiddenMethod() {}

    static @Nullable String idOf(Object wrapper, List<TaskDeclaration> known, @Nullable BeanNames beanNames) {
        Object behind = behind(wrapper, "runnable", Runnable.class);
        if (behind == null) {
            return null;
        }
        if (behind instanceof ScheduledMethodRunnable method) {
            Object bean = method.getTarget();
            Class<?> type = AopUtils.getTargetClass(bean);
            String beanName = beanNames == null ? null : beanNames.nameOf(bean);
            return known.stream()
                    .filter(one -> one.beanName().equals(beanName) && one.type() == type)
                    .findFirst()
                    .or(() -> known.stream().filter(one -> one.type() == type).findFirst())
                    .map(TaskDeclaration::id)
                    .orElse(null);
        }
        // Spring's wrapper of a reactive method has the method only for observations.
        Object observed = behind(behind, "contextSupplier", Supplier.class) instanceof Supplier<?> supplier
                ? supplier.get()
                : null;
        return observed != null && behind(observed, "method", Method.class) instanceof Method method
                ? onlyIdOf(method, known)
                : null;
    }

    /** An inherited method may be that of several beans. */
    private static @Nullable String onlyIdOf(Method method, List<TaskDeclaration> known) {
        List<String> ids = known.stream()
                .filter(one -> one.method().equals(method))
                .map(TaskDeclaration::id)
                .distinct()
                .toList();
        return ids.size() == 1 ? ids.get(0) : null;
    }

    private static @Nullable Object behind(Object wrapper, String name, Class<?> type) {
        try {
            Field field = ReflectionUtils.findField(wrapper.getClass(), name, type);
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
