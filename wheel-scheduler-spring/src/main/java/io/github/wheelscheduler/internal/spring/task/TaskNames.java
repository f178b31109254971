package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Optional;
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
 * Names tasks after their method or class, so that a name is the same after a restart. The text of an object is not
 * used as a name, as it may contain a secret.
 */
public final class TaskNames {

    /** Longer ids are of no use in a meter's tag, or in the path of a request. */
    static final int LONGEST = 250;

    private static final String CUT = "…";

    /** Texts of Spring's wrappers that are longer are no names, and take long to be looked through. */
    private static final int LONGEST_TEXT = 1_000;

    /**
     * Characters that a log or a page would show as something else, and unpaired surrogates, which no URL can contain.
     */
    private static final String UNSEEN = "\\p{Cc}\\p{Cs}\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069";

    /** Those, and characters that servers reject in a path. */
    private static final Pattern UNREACHABLE =
            Pattern.compile("[" + UNSEEN + ";%\\\\]|(?<=/)/|^/|/\\z|(?<![^/])\\.{1,2}(?![^/])");

    /** A class and a method or, as objects say of themselves by default, a class and a number. */
    private static final Pattern CLASS_AND_MORE =
            Pattern.compile("([\\w.$]+?)(\\$\\$[\\w$./]+)?(?:\\.(\\w+)|@[0-9a-f]+)");

    /**
     * Tasks of annotated methods, and others that Spring's registrar schedules, are wrapped in a nested class of this.
     */
    private static final ClassValue<Boolean> REGISTRARS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.getNestHost() == Task.class;
        }
    };

    /** The field that has the object in which a lambda or an inner class was made, where it can be read. */
    private static final ClassValue<Optional<Field>> OWNERS = new ClassValue<>() {
        @Override
        protected Optional<Field> computeValue(Class<?> type) {
            try {
                Optional<Field> owner = Arrays.stream(type.getDeclaredFields())
                        .filter(field -> field.getName().equals("arg$1")
                                || field.getName().startsWith("this$"))
                        .filter(field -> !field.getType().isPrimitive())
                        .findFirst();
                owner.ifPresent(ReflectionUtils::makeAccessible);
                return owner;
            } catch (RuntimeException | LinkageError ex) {
                return Optional.empty();
            }
        }
    };

    /** The names of tasks that bring none, by their class. */
    private static final ClassValue<String> BY_CLASS = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            return reachable(NamedTask.ofClass(type));
        }
    };

    private TaskNames() {}

    /** Whether Spring's registrar has scheduled the task, usually for a {@code @Scheduled} method. */
    public static boolean isRegistrars(Runnable task) {
        return REGISTRARS.get(task.getClass());
    }

    /** Returns class and method of an annotated method; otherwise the best known name of the task. */
    public static String of(Runnable task, TaskCatalog catalog) {
        String name = null;
        Object owner = null;
        if (isRegistrars(task)) {
            String said = textOf(task);
            String declared = catalog.idOf(task, said);
            name = declared != null ? declared : ofWrapped(said);
        } else if (task instanceof ScheduledMethodRunnable method) {
            name = NamedTask.ofClass(method.getTarget().getClass()) + "."
                    + method.getMethod().getName();
            owner = method.getTarget();
        } else if (catalog.findsBeans()) {
            owner = ownerOf(task);
        }
        String known = name != null ? name : ownNameOf(task);
        return cut(owner == null ? known : catalog.idOf(known, owner));
    }

    private static String ownNameOf(Runnable task) {
        String name = task instanceof NamedTask ? reachable(NamedTask.of(task)) : "";
        return name.isBlank() ? BY_CLASS.get(task.getClass()) : name;
    }

    /** Returns the object that a lambda or an inner class was made in; else the task. */
    private static Object ownerOf(Runnable task) {
        Object owner = OWNERS.get(task.getClass())
                .map(field -> ReflectionUtils.getField(field, task))
                .orElse(null);
        return owner == null ? task : owner;
    }

    /** Whether a run of an annotated method may continue when it has returned: unless it is known to return nothing. */
    static boolean mayGoOn(String name, TaskCatalog catalog) {
        TaskDeclaration declared = catalog.declaration(name);
        return declared == null || declared.method().getReturnType() != void.class;
    }

    /**
     * Returns the name of a task that Spring hides in a wrapper, from the text of the wrapper. It is a method if the
     * text names an annotated one, or a class if the text is the default of an object. Null for any other text.
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

    /**
     * Returns a name that can stand in a path and adds no lines to a log: with a question mark for each part that could
     * not.
     */
    public static String reachable(String name) {
        return isPlain(name) ? name : UNREACHABLE.matcher(name).replaceAll("?");
    }

    /** Whether there is nothing in a name that has to be looked at more closely; so it is with names of classes. */
    private static boolean isPlain(String name) {
        boolean hasOther = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < ' ' || c > '~' || c == '/' || c == ';' || c == '%' || c == '\\') {
                return false;
            }
            hasOther |= c != '.';
        }
        return hasOther;
    }

    /**
     * Checks a name that code gives to a task.
     *
     * @param what the kind of name, for the message
     * @throws IllegalArgumentException if it is blank, too long, or cannot be written in a path
     */
    public static void check(String what, String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException(what + " must not be blank, was '" + name + "'");
        }
        if (UNREACHABLE.matcher(name).find()) {
            throw new IllegalArgumentException(what
                    + " must not contain line breaks or other control characters, unpaired surrogates, ; % \\ or //, "
                    + "begin or end with a slash, or have . or .. alone between slashes, was '"
                    + reachable(name) + "'");
        }
        if (name.length() > LONGEST) {
            throw new IllegalArgumentException(what + " must not be longer than " + LONGEST + " characters, was "
                    + name.length() + " long: " + name.substring(0, 50) + "…");
        }
    }

    /** The end of a long name says more. */
    private static String cut(String name) {
        return name.length() <= LONGEST
                ? name
                : reachable(CUT + name.substring(name.length() - LONGEST + CUT.length()));
    }
}
