package io.github.wheelscheduler.internal.spring.observation;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.observation.DefaultWheelRunObservationConvention;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.github.wheelscheduler.spring.observation.WheelRunContext.Trigger;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Observes runs of one scheduler. A handler that fails harms no run: the first failure is logged. Any thread. */
public final class ObservedRuns {

    private static final Log logger = LogFactory.getLog(ObservedRuns.class);
    private static final WheelRunObservationConvention DEFAULT = new DefaultWheelRunObservationConvention();

    private final WheelRunObservation how;
    private final Supplier<String> scheduler;
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    /** Makes one for the scheduler of that name. */
    public ObservedRuns(WheelRunObservation how, Supplier<String> scheduler) {
        this.how = how;
        this.scheduler = scheduler;
    }

    /** Returns whether a task is observed that Spring does not observe. */
    public boolean includes(boolean isNamed) {
        return how.which() == ObservedTasks.ALL || (isNamed && how.which() == ObservedTasks.NAMED);
    }

    /** Begins the observation of the run of a one-time timer, as below. */
    public @Nullable ObservedRun begin(NamedTask timer, boolean isNamed) {
        try {
            String id = timer.taskName();
            return begin(new WheelRunContext(id, isNamed ? id : null, scheduler.get(), Trigger.SCHEDULE, null));
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /**
     * Begins the observation of a run on the calling thread; null if the run is not observed. Throws nothing.
     *
     * @param task says its id
     * @param name that the application has given the task; null for none
     * @param latenessNanos of no meaning if it is by hand
     */
    public @Nullable ObservedRun begin(NamedTask task, @Nullable String name, boolean isByHand, long latenessNanos) {
        try {
            return begin(new WheelRunContext(
                    task.taskName(),
                    name,
                    scheduler.get(),
                    isByHand ? Trigger.BY_HAND : Trigger.SCHEDULE,
                    isByHand ? null : Duration.ofNanos(Math.max(0, latenessNanos))));
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    private @Nullable ObservedRun begin(WheelRunContext context) {
        ObservationRegistry current = how.registry().get();
        return current.isNoop() ? null : new ObservedRun(this, current, context);
    }

    /** Returns an observation that has not begun, and has no parent. */
    Observation observation(ObservationRegistry of, WheelRunContext context) {
        Observation made = Observation.createNotStarted(how.convention(), DEFAULT, () -> context, of);
        context.setParentObservation(null);
        return made;
    }

    /** A handler has failed. Throws nothing. */
    void failed(Throwable failure) {
        try {
            if (!hasFailed.getAndSet(true)) {
                logger.warn(
                        "Observing a run of scheduler " + scheduler.get()
                                + " failed; runs continue, and further failures are not logged",
                        failure);
            }
        } catch (Throwable ex) {
            // The log is broken, or memory is short.
        }
    }
}
