package io.github.wheelscheduler.internal.spring.observation;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.observation.DefaultWheelRunObservationConvention;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.github.wheelscheduler.spring.observation.WheelRunContext.Trigger;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Observes runs of one scheduler. A failing handler does not affect the run; the first failure is logged. Any thread.
 */
public final class ObservedRuns {

    private static final Log logger = LogFactory.getLog(ObservedRuns.class);
    private static final WheelRunObservationConvention DEFAULT = new DefaultWheelRunObservationConvention();

    private final WheelRunObservation how;
    private final Supplier<String> scheduler;
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    /** The traces of observed runs in progress, for lines that other threads write of them; empty without spans. */
    private final ConcurrentHashMap<Thread, String> traces = new ConcurrentHashMap<>();

    /** Creates one for the scheduler of that name. */
    public ObservedRuns(WheelRunObservation how, Supplier<String> scheduler) {
        this.how = how;
        this.scheduler = scheduler;
    }

    /** Returns whether a task is observed that Spring does not observe. */
    public boolean includes(boolean isNamed) {
        return how.which() == ObservedTasks.ALL || (isNamed && how.which() == ObservedTasks.NAMED);
    }

    /** Returns within what time of being scheduled a run that is due continues the trace of its caller. */
    public Duration childWithin() {
        return how.childWithin();
    }

    /** Whether spans are asked for that are current. */
    public boolean hasOrigins() {
        return how.origins() != null;
    }

    /**
     * Returns the span that is current, for a run that is due then; null if none is. Throws nothing.
     *
     * @param clock is asked how long it is until then, if a span is current
     */
    public @Nullable RunOrigin origin(Clock clock, Instant due) {
        RunOrigin current = origin();
        try {
            return current == null ? null : forRunIn(Duration.between(clock.instant(), due), current);
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /** Returns the same for a run that is due after a delay. Throws nothing. */
    public @Nullable RunOrigin origin(long delayNanos) {
        RunOrigin current = origin();
        return current == null ? null : forRunIn(Duration.ofNanos(delayNanos), current);
    }

    private RunOrigin forRunIn(Duration delay, RunOrigin current) {
        return delay.compareTo(how.childWithin()) <= 0 ? current : current.asLink();
    }

    /**
     * Returns the same for a call that steers a task: the run begins a trace though it may be due at once. Throws
     * nothing.
     */
    public @Nullable RunOrigin originOfSteering() {
        RunOrigin current = origin();
        return current == null ? null : current.asLink();
    }

    /** Returns the span that is current; null if none is. Throws nothing. */
    public @Nullable RunOrigin origin() {
        Supplier<@Nullable RunOrigin> origins = how.origins();
        try {
            return origins == null ? null : origins.get();
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /** Begins the observation of the run of a one-time timer, as below. */
    public @Nullable ObservedRun begin(NamedTask timer, boolean isNamed, @Nullable RunOrigin origin) {
        try {
            String id = timer.taskName();
            return begin(new WheelRunContext(id, isNamed ? id : null, scheduler.get(), Trigger.SCHEDULE, null, origin));
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
     * @param origin the span of the call that has asked for the run; null for none
     */
    public @Nullable ObservedRun begin(
            NamedTask task, @Nullable String name, boolean isByHand, long latenessNanos, @Nullable RunOrigin origin) {
        try {
            return begin(new WheelRunContext(
                    task.taskName(),
                    name,
                    scheduler.get(),
                    isByHand ? Trigger.BY_HAND : Trigger.SCHEDULE,
                    isByHand ? null : Duration.ofNanos(Math.max(0, latenessNanos)),
                    origin));
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /**
     * Begins a run that Spring observes by itself, on the calling thread; null if nothing is observed. Throws nothing.
     *
     * @param task says its id
     * @param latenessNanos of no meaning if it is by hand
     * @param origin the span of the call that has asked for the run; null for none
     */
    public @Nullable AnnotatedRun beginAnnotated(
            NamedTask task, boolean isByHand, long latenessNanos, @Nullable RunOrigin origin) {
        try {
            ObservationRegistry current = how.registry().get();
            Trigger trigger = isByHand ? Trigger.BY_HAND : Trigger.SCHEDULE;
            long late = isByHand ? -1 : Math.max(0, latenessNanos);
            return current.isNoop()
                    ? null
                    : new AnnotatedRun(this, current, task.taskName(), trigger.name(), late, origin);
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    String scheduler() {
        return scheduler.get();
    }

    /** Returns the id of the trace of the observed run on a thread; null if there is none. Any thread. */
    public @Nullable String traceOf(Thread thread) {
        return traces.get(thread);
    }

    /**
     * Notes the trace of a run on the calling thread, null for none, and returns that of the run around it. Throws
     * nothing.
     */
    @Nullable
    String exchangeTrace(@Nullable String traceId) {
        try {
            Thread current = Thread.currentThread();
            return traceId != null ? traces.put(current, traceId) : traces.remove(current);
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /**
     * Begins the observation of a call that timers for programs make, as above.
     *
     * @param name of these timers
     * @param origins the spans of the calls that have set them
     */
    public @Nullable ObservedRun begin(String name, List<RunOrigin> origins) {
        try {
            RunOrigin only = origins.size() == 1 ? origins.get(0) : null;
            WheelRunContext context = new WheelRunContext(name, name, scheduler.get(), Trigger.SCHEDULE, null, only);
            if (origins.size() > 1) {
                context.setFurtherOrigins(origins);
            }
            return begin(context);
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /** Begins the observation of a run of a durable task, as above. Throws nothing. */
    public @Nullable ObservedRun begin(
            String id,
            String handler,
            Trigger trigger,
            Duration lateness,
            @Nullable RunOrigin origin,
            WheelRunContext.Attempt attempt) {
        try {
            return begin(new WheelRunContext(id, handler, scheduler.get(), trigger, lateness, origin, attempt));
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /**
     * Calls something within the observation of scheduling durable tasks, which is given the header {@code tracestate}
     * that the propagator writes, and null for none. Exceptions of the call are thrown on.
     */
    public <T extends @Nullable Object> T scheduling(String handler, int tasks, Function<@Nullable String, T> call) {
        SchedulingContext context = new SchedulingContext(handler, tasks);
        Observation observation = null;
        Observation.Scope scope = null;
        try {
            observation = Observation.start(
                    SchedulingContext.NAME, () -> context, how.registry().get());
            scope = observation.openScope();
        } catch (Throwable ex) {
            failed(ex);
        }
        try {
            return call.apply(context.traceState());
        } catch (Throwable ex) {
            error(observation, ex);
            throw ex;
        } finally {
            close(scope);
            stop(observation);
        }
    }

    /** Notes a failure, if there is an observation. Throws nothing. */
    void error(@Nullable Observation begun, Throwable failure) {
        try {
            if (begun != null) {
                Observation ignored = begun.error(failure);
            }
        } catch (Throwable ex) {
            failed(ex);
        }
    }

    /** Ends an observation, if there is one. Throws nothing. */
    void stop(@Nullable Observation begun) {
        try {
            if (begun != null) {
                begun.stop();
            }
        } catch (Throwable ex) {
            failed(ex);
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

    /** Runs a task that is not observed; nothing is current within, and what is current now is so again afterwards. */
    public void runApart(Runnable task) {
        Observation.Scope apart = null;
        try {
            ObservationRegistry current = how.registry().get();
            apart = current.isNoop() ? null : setAside(current);
        } catch (Throwable ex) {
            failed(ex);
        }
        try {
            task.run();
        } finally {
            close(apart);
        }
    }

    /** Lets no observation and no span be current until the scope is closed. */
    static Observation.Scope setAside(ObservationRegistry registry) {
        return new NullObservation(registry).start().openScope();
    }

    /** Closes a scope, if there is one. Throws nothing. */
    void close(Observation.@Nullable Scope open) {
        try {
            if (open != null) {
                open.close();
            }
        } catch (Throwable ex) {
            failed(ex);
        }
    }

    /** A handler has failed. Throws nothing. */
    void failed(Throwable failure) {
        try {
            if (!hasFailed.getAndSet(true)) {
                logger.warn(
                        "Observing a run of scheduler " + scheduler.get()
                                + " failed; runs continue, and further failures are not logged. Fix the "
                                + "ObservationHandler",
                        failure);
            }
        } catch (Throwable ex) {
            // The log is broken, or memory is short.
        }
    }
}
