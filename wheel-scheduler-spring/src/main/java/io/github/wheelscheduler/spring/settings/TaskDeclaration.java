package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Method;

/**
 * An annotated method of a bean, before Spring schedules it.
 *
 * @param text the text of Spring's wrapper: declaring class and method
 * @param type of the bean
 * @param method as it is declared
 * @param id of its tasks: given, or class of the bean and method
 * @param isIdGiven whether an annotation gives the id
 * @param settings of the annotation
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

    /** Returns the same with another id and other settings. */
    TaskDeclaration with(String otherId, TaskSettings otherSettings) {
        return new TaskDeclaration(text, type, method, otherId, isIdGiven, otherSettings, beanName);
    }
}
