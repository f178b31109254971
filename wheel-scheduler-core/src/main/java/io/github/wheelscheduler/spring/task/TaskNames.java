package io.github.wheelscheduler.spring.task;

import org.springframework.scheduling.config.Task;

/** What tasks are called: after the method or the class that they come from, so that a name is the same after a restart. */
public final class TaskNames {

    /** Tasks of annotated methods, and others that Spring's registrar schedules, are wrapped in a nested class of this. */
    private static final ClassValue<Boolean> REGISTRARS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.getNestHost() == Task.class;
        }
    };

    private TaskNames() {}

    /** Whether Spring's registrar has scheduled the task, usually for a {@code @Scheduled} method. */
    public static boolean isRegistrars(Runnable task) {
        return REGISTRARS.get(task.getClass());
    }

    /** Returns the task's own text, which for a {@code @Scheduled} method is class and method; else its class. */
    static String of(Runnable task) {
        String text = textOf(task);
        return text.isBlank() || looksLikeIdentity(text) ? ofClass(task.getClass()) : withoutProxy(text);
    }

    /** The text of what {@link Object#toString} says, and lambdas do, changes with each start. */
    private static boolean looksLikeIdentity(String text) {
        int at = text.lastIndexOf('@');
        return at >= 0 && text.substring(at + 1).chars().allMatch(c -> Character.digit(c, 16) >= 0);
    }

    private static String ofClass(Class<?> type) {
        String name = type.getName();
        int lambda = name.indexOf("$$Lambda");
        return lambda >= 0 ? name.substring(0, lambda) + ".lambda" : withoutProxy(name);
    }

    private static String withoutProxy(String name) {
        return name.replaceAll("\\$\\$SpringCGLIB\\$\\$\\d+", "");
    }

    /** Returns the user's own text; a failure in there is not one of the caller. */
    public static String textOf(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable ex) {
            return object.getClass().getName();
        }
    }
}
