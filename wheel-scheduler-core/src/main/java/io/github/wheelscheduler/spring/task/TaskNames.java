package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.config.Task;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What tasks are called: after the method or the class that they come from, so that a name is the same after a restart. What
 * an object says of itself is no name, as it may be a secret.
 */
public final class TaskNames {

    /** Longer ids are of no use in a meter's tag, or in the path of a request. */
    static final int LONGEST = 250;

    private static final String CUT = "…";

    /** Texts of Spring's wrappers that are longer are no names, and take long to be looked through. */
    private static final int LONGEST_TEXT = 1_000;

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    /** A class and a method or, as objects say of themselves by default, a class and a number. */
    private static final Pattern CLASS_AND_MORE =
            Pattern.compile("([\\w.$]+?)(\\$\\$[\\w$./]+)?(?:\\.(\\w+)|@[0-9a-f]+)");

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

    /** Returns class and method of an annotated method; else what is known of the task. */
    static String of(Runnable task, TaskCatalog catalog) {
        String name = null;
        if (isRegistrars(task)) {
            String said = textOf(task);
            String declared = catalog.idOf(task, said);
            name = declared != null ? declared : ofWrapped(said);
        } else if (task instanceof ScheduledMethodRunnable method) {
            name = NamedTask.ofClass(method.getTarget().getClass()) + "."
                    + method.getMethod().getName();
        }
        return cut(name != null ? name : printable(task));
    }

    /** Whether a run of an annotated method may go on when it has returned: unless it is known to return nothing. */
    static boolean mayGoOn(String name, TaskCatalog catalog) {
        TaskDeclaration declared = catalog.declaration(name);
        return declared == null || declared.method().getReturnType() != void.class;
    }

    /**
     * Returns the name of what Spring hides in a wrapper that says what the hidden task says: a method if it names an annotated
     * one, or a class if it says what objects say by default. Null for any other text.
     */
    private static @Nullable String ofWrapped(String said) {
        Matcher text = CLASS_AND_MORE.matcher(said.length() <= LONGEST_TEXT ? said : "");
        Class<?> type = text.matches() ? findClass(text.group(1)) : null;
        if (type == null) {
            return null;
        }
        String method = text.group(3);
        if (method != null) {
            return isScheduled(type, method) ? type.getName() + "." + method : null;
        }
        boolean isLambda = text.group(2) != null && text.group(2).startsWith("$$Lambda");
        return isLambda ? type.getName() + ".lambda" : type.getName();
    }

    private static boolean isScheduled(Class<?> type, String method) {
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .filter(candidate -> candidate.getName().equals(method))
                .anyMatch(candidate -> AnnotatedElementUtils.hasAnnotation(candidate, Scheduled.class)
                        || AnnotatedElementUtils.hasAnnotation(candidate, Schedules.class));
    }

    private static @Nullable Class<?> findClass(String name) {
        try {
            return Class.forName(name, false, ClassUtils.getDefaultClassLoader());
        } catch (ClassNotFoundException | LinkageError ex) {
            return null;
        }
    }

    /** A failure in there is not one of the caller. */
    private static String textOf(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable ex) {
            return "";
        }
    }

    /** A name must not be able to add lines to a log. */
    private static String printable(Runnable task) {
        String name = CONTROL.matcher(NamedTask.of(task)).replaceAll("?");
        return name.isBlank() ? NamedTask.ofClass(task.getClass()) : name;
    }

    static boolean hasControlCharacters(String name) {
        return CONTROL.matcher(name).find();
    }

    /** The end of a long name says more. */
    private static String cut(String name) {
        return name.length() <= LONGEST ? name : CUT + name.substring(name.length() - LONGEST + CUT.length());
    }
}
