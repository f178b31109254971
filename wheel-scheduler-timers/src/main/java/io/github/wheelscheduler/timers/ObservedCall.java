package io.github.wheelscheduler.timers;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.internal.UserCalls;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls a user's code within an observer, whose exceptions change nothing. Any thread. */
public final class ObservedCall {

    private ObservedCall() {}

    /**
     * Calls a handler as {@link UserCalls#call} does, and logs its exceptions while the call is observed.
     *
     * @param kept the objects that the observer has kept for it
     */
    public static <T> void call(
            UserCalls calls, CallObserver observer, List<?> kept, Consumer<? super T> handler, T argument) {
        CallObserver.Call call = begin(observer, kept);
        Throwable failure = null;
        try {
            handler.accept(argument);
        } catch (Throwable ex) {
            failure = ex;
            calls.failed(ex);
        } finally {
            end(call, failure);
        }
    }

    /** Lets a call begin for its observer. Throws nothing. */
    public static CallObserver.@Nullable Call begin(CallObserver observer, List<?> kept) {
        try {
            return observer.begin(kept);
        } catch (Throwable ex) {
            // The call takes place all the same.
            return null;
        }
    }

    /** Lets a call end for its observer, if it is observed. Throws nothing. */
    public static void end(CallObserver.@Nullable Call call, @Nullable Throwable failure) {
        try {
            if (call != null) {
                call.end(failure);
            }
        } catch (Throwable ex) {
            // The call has ended all the same.
        }
    }
}
