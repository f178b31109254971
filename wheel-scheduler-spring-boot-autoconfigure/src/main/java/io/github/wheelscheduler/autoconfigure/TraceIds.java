package io.github.wheelscheduler.autoconfigure;

import java.lang.ref.WeakReference;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.util.ClassUtils;

/**
 * Supplies a scheduler with the trace ids of failures. The id comes from the observation of the failure on this thread.
 * Otherwise it comes from the logging context, for instance if a decorator sets it around the task.
 */
final class TraceIds implements Function<Throwable, @Nullable String> {

    /** As Boot and others call it. */
    private static final String KEY = "traceId";

    /** Of this thread, until it is asked for. */
    private static final ThreadLocal<@Nullable Seen> LAST = new ThreadLocal<>();

    private final boolean hasLogContext = ClassUtils.isPresent("org.slf4j.MDC", TraceIds.class.getClassLoader());

    /** A failure that has been seen, and may have been handled since. */
    private record Seen(WeakReference<Throwable> failure, String traceId) {}

    TraceIds() {}

    /**
     * Says under which trace a failure was seen. Spring ends the trace before the scheduler hears of the failure, on
     * the same thread.
     */
    static void seen(Throwable failure, String traceId) {
        LAST.set(new Seen(new WeakReference<>(failure), traceId));
    }

    @Override
    public @Nullable String apply(Throwable failure) {
        Seen last = LAST.get();
        if (last != null) {
            LAST.remove();
            if (isSame(last.failure.get(), failure)) {
                return last.traceId;
            }
        }
        return hasLogContext ? MDC.get(KEY) : null;
    }

    /** Spring wraps undeclared exceptions of a method. */
    private static boolean isSame(@Nullable Throwable seen, Throwable failure) {
        return seen == failure
                || (seen instanceof UndeclaredThrowableException wrapper
                        && wrapper.getUndeclaredThrowable() == failure);
    }
}
