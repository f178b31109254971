package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Method;
import java.util.Objects;

/**
 * An annotated method of a bean, before Spring schedules it.
 *
 * @param text what Spring's wrapper is going to say: declaring class and method
 * @param type of the bean
 * @param method as it is declared
 * @param id of its tasks: given, or class of the bean and method
 * @param isIdGiven whether somebody has chosen the id
 * @param settings what is set by annotation
 * @param beanName the name of the bean
 */
public record TaskDeclaration(
        String text,
        Class<?> type,
        Method method,
        String id,
        boolean isIdGiven,
        TaskSettings settings,
        String beanName) {

    /** Checks that nothing is missing. */
    public TaskDeclaration {
        Objects.requireNonNull(text, "text must not be null");
        Objects.requireNonNull(type, "type must not be null");
        Objects.requireNonNull(method, "method must not be null");
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(settings, "settings must not be null");
        Objects.requireNonNull(beanName, "beanName must not be null");
    }

    /** Returns the same with another id. */
    TaskDeclaration withId(String other) {
        return new TaskDeclaration(text, type, method, other, isIdGiven, settings, beanName);
    }
}
