package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.Steering.Channel;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Passes named calls in Java that steer to listeners. A listener that throws prevents no steering. Any thread. */
public final class NamedSteering {

    private static final Log logger = LogFactory.getLog(SteeringListener.class);

    /** Set while a caller on this thread notifies listeners itself. */
    private static final ThreadLocal<@Nullable Boolean> IS_TOLD = new ThreadLocal<>();

    private final List<SteeringListener> listeners = new CopyOnWriteArrayList<>();

    public void add(SteeringListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
    }

    public void remove(SteeringListener listener) {
        boolean ignored = listeners.remove(listener);
    }

    /**
     * Steers, and notifies listeners if the call has a name.
     *
     * @param state in a few words; asked before and afterwards
     */
    public <T extends @Nullable Object> T steer(
            String action, Target target, Supplier<@Nullable String> state, Supplier<T> steering) {
        return steer(action, target, state, steering, result -> null, this::tell);
    }

    /**
     * The same with results that may say that it was refused.
     *
     * @param refusal returns why a result says that; null if it does not
     * @param teller notifies listeners of it, at once or later
     */
    public <T extends @Nullable Object> T steer(
            String action,
            Target target,
            Supplier<@Nullable String> state,
            Supplier<T> steering,
            Function<? super T, @Nullable String> refusal,
            Consumer<Supplier<Steering>> teller) {
        SteeredBy by = SteeredBy.current();
        if (by == null || listeners.isEmpty() || IS_TOLD.get() != null) {
            return steering.get();
        }
        String from = stateBefore(state);
        T result;
        try {
            result = toldByCaller(steering);
        } catch (RuntimeException | Error ex) {
            tell(teller, () -> told(by, action, target, from, null, refusalOf(ex)));
            throw ex;
        }
        tell(teller, () -> {
            String why = refusal.apply(result);
            return told(by, action, target, from, why == null ? state.get() : null, why);
        });
        return result;
    }

    /** Returns null if it fails, which keeps nobody from steering. */
    private static @Nullable String stateBefore(Supplier<@Nullable String> state) {
        try {
            return state.get();
        } catch (Throwable ex) {
            return null;
        }
    }

    /** Throws nothing, as the steering took place or was refused. */
    private static void tell(Consumer<Supplier<Steering>> teller, Supplier<Steering> steering) {
        try {
            teller.accept(steering);
        } catch (Throwable ex) {
            warn(ex);
        }
    }

    /** Steers, and leaves it to the caller to tell listeners, also of calls with a name. */
    public static <T extends @Nullable Object> T toldByCaller(Supplier<T> steering) {
        Boolean before = IS_TOLD.get();
        IS_TOLD.set(true);
        try {
            return steering.get();
        } finally {
            if (before == null) {
                IS_TOLD.remove();
            }
        }
    }

    /** Tells listeners, if there are any. Throws nothing. */
    public void tell(Supplier<Steering> steering) {
        tellAll(() -> listeners, steering);
    }

    private static Steering told(
            SteeredBy by,
            String action,
            Target target,
            @Nullable String from,
            @Nullable String to,
            @Nullable String refusal) {
        return new Steering(Channel.JAVA, by.who(), action, target, from, to, by.reason(), refusal);
    }

    /** Returns the message of an exception, or its class if it has none, or fails to return it. */
    public static String refusalOf(Throwable ex) {
        try {
            return Objects.requireNonNullElse(ex.getMessage(), ex.getClass().getName());
        } catch (Throwable thrown) {
            return ex.getClass().getName();
        }
    }

    /**
     * Tells listeners, if there are any. Throws nothing, as the steering took place or was refused: exceptions are
     * logged.
     */
    public static void tellAll(Supplier<List<SteeringListener>> listeners, Supplier<Steering> steering) {
        try {
            List<SteeringListener> all = listeners.get();
            if (!all.isEmpty()) {
                Steering told = steering.get();
                all.forEach(listener -> tell(listener, told));
            }
        } catch (Throwable ex) {
            warn(ex);
        }
    }

    private static void warn(Throwable failure) {
        ThrownLog.warnInOneLine(
                logger,
                "Steering listeners could not be called, mostly because the bean of one cannot be created; the "
                        + "steering itself is not affected",
                failure);
    }

    private static void tell(SteeringListener listener, Steering steering) {
        try {
            listener.steered(steering);
        } catch (Throwable ex) {
            ThrownLog.warnInOneLine(
                    logger,
                    "A steering listener failed; the steering itself is not affected. Fix the listener "
                            + NamedTask.of(listener),
                    ex);
        }
    }
}
