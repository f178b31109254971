package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.task.OpenRun;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Sinks;

/**
 * Tells runs of reactive methods how they really ended, and lets them be cancelled. Spring begins its observation of a
 * run on the thread of the run, which is how the two find each other, subscribes there next, and stops the observation
 * when the publisher ends, on any thread.
 */
final class ReactiveRuns implements ObservationHandler<ScheduledTaskObservationContext>, DisposableBean {

    /** Of each application context in the process. */
    private final String hook = ReactiveRuns.class.getName() + "@" + System.identityHashCode(this);

    private final Supplier<@Nullable EndedSpans> spans;

    /** Guarded by this. */
    private boolean isHooked;

    /** @param spans returns those to be current at the end of a run; null for none */
    ReactiveRuns(Supplier<@Nullable EndedSpans> spans) {
        this.spans = spans;
    }

    /** A method that returns nothing has ended when it returns. */
    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ScheduledTaskObservationContext run
                && run.getMethod().getReturnType() != void.class;
    }

    @Override
    public void onStart(ScheduledTaskObservationContext context) {
        OpenRun run = OpenRun.keepCurrent();
        if (run != null) {
            // The last run may end while the context closes, which makes no bean then.
            EndedSpans ignored = spans.get();
            context.put(OpenRun.class, run);
            if (isReactive(context.getMethod())) {
                hookOnce();
                run.cancelBy(new Stop(context, Sinks.empty()));
            }
        }
    }

    @Override
    public void onStop(ScheduledTaskObservationContext context) {
        OpenRun run = context.get(OpenRun.class);
        if (run == null) {
            return;
        }
        Throwable failure = context.getError();
        if (failure == null && !context.isComplete()) {
            run.cancelled();
            return;
        }
        EndedSpans current = spans.get();
        if (current == null) {
            run.ended(failure);
        } else {
            current.runWithin(context, () -> run.ended(failure));
        }
    }

    @Override
    public synchronized void destroy() {
        // A run that continues must not put it in again.
        isHooked = true;
        Hooks.resetOnLastOperator(hook);
    }

    private static boolean isReactive(Method method) {
        return KotlinDetector.isSuspendingFunction(method)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType()) != null;
    }

    /**
     * From the first reactive run on: any subscription in the process then asks its thread whether it is that of such a
     * run.
     */
    private synchronized void hookOnce() {
        if (!isHooked) {
            isHooked = true;
            Hooks.onLastOperator(hook, ReactiveRuns::stoppable);
        }
    }

    /** The first subscription of a run is Spring's. */
    private static Publisher<Object> stoppable(Publisher<Object> publisher) {
        return publisher instanceof Flux<Object> flux && OpenRun.takeCanceller() instanceof Stop stop
                ? flux.takeUntilOther(stop.signal.asMono())
                : publisher;
    }

    /** Ends a subscription for both sides, so that also a publisher that does not heed it has ended for Spring. */
    private record Stop(ScheduledTaskObservationContext context, Sinks.Empty<Object> signal) implements Runnable {

        @Override
        public void run() {
            // For Spring it completes, which is no success.
            context.setError(new CancellationException(
                    "The run was interrupted, as by an operator or a time limit, so its subscription was cancelled"));
            Sinks.EmitResult ignored = signal.tryEmitEmpty();
        }
    }
}
