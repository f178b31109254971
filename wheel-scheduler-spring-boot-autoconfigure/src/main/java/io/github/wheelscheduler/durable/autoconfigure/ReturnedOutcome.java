package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.DurableOutcome;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Reads what becomes of a task off what its handler returns; any other value is ignored. */
final class ReturnedOutcome {

    private static final String ACTION = "Let a method with @DurableHandler return DurableOutcome itself, or void.";

    private ReturnedOutcome() {}

    /** Throws if a handler returns an outcome inside of something else, which would be ignored. */
    static void refuseHidden(Method method, Class<?> type) {
        ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
        if (!isOutcome(returned) && mentionsOutcome(returned)) {
            throw new UnusableSetupException(
                    "A method with @DurableHandler must return a DurableOutcome by itself, but returns a " + returned
                            + ": " + method,
                    ACTION);
        }
    }

    private static boolean isOutcome(ResolvableType type) {
        return DurableOutcome.class.isAssignableFrom(type.toClass());
    }

    private static boolean mentionsOutcome(ResolvableType type) {
        if (isOutcome(type)) {
            return true;
        }
        if (type.isArray()) {
            return mentionsOutcome(type.getComponentType());
        }
        for (ResolvableType generic : type.getGenerics()) {
            if (mentionsOutcome(generic)) {
                return true;
            }
        }
        return false;
    }

    /** @throws IllegalStateException if an outcome is declared, and it is null */
    static DurableOutcome of(Method method, @Nullable Object returned) {
        if (returned instanceof DurableOutcome outcome) {
            return outcome;
        }
        if (DurableOutcome.class.isAssignableFrom(method.getReturnType())) {
            throw new IllegalStateException(
                    "A handler must return a DurableOutcome, such as done(), was null: " + method);
        }
        return DurableOutcome.done();
    }
}
