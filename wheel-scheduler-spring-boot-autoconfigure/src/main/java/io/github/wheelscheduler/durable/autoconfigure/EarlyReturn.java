package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Knows methods that return before what they do has ended: nobody could tell whether it has succeeded. */
final class EarlyReturn {

    static final String ACTION =
            "Let the method do its work itself and return when it has ended. It has a thread of its own, and delays no "
                    + "other task.";

    /** The annotations that Spring heeds. */
    private static final List<String> ASYNC = List.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous");

    private EarlyReturn() {}

    /**
     * Throws if a method may return early.
     *
     * @param annotation by which it has become durable
     * @param type of the bean
     */
    static void refuse(String annotation, Method method, Class<?> type) {
        String reason = reasonOf(method, type);
        if (reason != null) {
            throw new UnusableSetupException(
                    "A method with @" + annotation + " must have ended when it returns, but " + reason + ": " + method,
                    ACTION);
        }
    }

    private static @Nullable String reasonOf(Method method, Class<?> type) {
        for (String name : ASYNC) {
            String shown = "@" + name.substring(name.lastIndexOf('.') + 1);
            if (MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(name)) {
                return "has " + shown;
            }
            if (MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(name)) {
                return "its class has " + shown;
            }
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            return "is a suspending function";
        }
        Class<?> returned = ResolvableType.forMethodReturnType(method, type).toClass();
        return isOfLater(returned) ? "returns a " + returned.getName() : null;
    }

    private static boolean isOfLater(Class<?> result) {
        return Future.class.isAssignableFrom(result)
                || CompletionStage.class.isAssignableFrom(result)
                || Flow.Publisher.class.isAssignableFrom(result)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
    }
}
