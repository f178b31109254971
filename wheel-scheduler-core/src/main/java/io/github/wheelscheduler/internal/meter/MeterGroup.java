package io.github.wheelscheduler.internal.meter;

import io.github.wheelscheduler.internal.EngineLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Meters of one registry that come and go together. The registry holds a weak reference to their source. Not for
 * several threads at a time.
 *
 * <p>A registry has one meter for each name and its tags, after its filters. Where groups have the same ones, meters in
 * which they record are of all of them, and go with the last group. A meter that is read from a source shows that of
 * the first group, and goes with it.
 *
 * @param isSharingSaid whether it has been logged that another group's source is shown
 */
public record MeterGroup(
        MeterRegistry registry,
        UnaryOperator<String> descriptions,
        Tags tags,
        List<Meter> meters,
        AtomicBoolean isSharingSaid) {

    private static final String SHARED =
            "A meter is registered already, and shows only the first of the schedulers, tasks or timers that share its "
                    + "name and tags. Give those of one registry different names, and let no MeterFilter drop a tag";

    private static final MeterOwners OWNERS = new MeterOwners();

    /**
     * Creates an empty group.
     *
     * @param descriptions returns the description of a meter for its name
     */
    public MeterGroup(MeterRegistry registry, UnaryOperator<String> descriptions, Tags tags) {
        this(registry, descriptions, tags, new ArrayList<>(), new AtomicBoolean());
    }

    /**
     * Prometheus adds the unit to a name that does not end in it, even if it has it: {@code leases_lost_leases_total}.
     */
    private static @Nullable String unitOf(String name, String unit) {
        return !name.endsWith("." + unit) && List.of(name.split("\\.", -1)).contains(unit) ? null : unit;
    }

    /** Returns this group for meters that have a tag more. */
    public MeterGroup tagged(String key, String value) {
        return new MeterGroup(registry, descriptions, tags.and(key, value), meters, isSharingSaid);
    }

    /** Returns an empty group of the same registry for meters that have a tag more. */
    public MeterGroup apart(String key, String value) {
        return new MeterGroup(registry, descriptions, tags.and(key, value), new ArrayList<>(), isSharingSaid);
    }

    /**
     * Whether the registry has a meter of that name and these tags from another binder; it then goes with this group,
     * unless it goes with another one.
     */
    public boolean adopts(String name) {
        Meter present = registry.find(name).tags(tags).meter();
        if (present != null && OWNERS.addFirst(present)) {
            meters.add(present);
        }
        return present != null;
    }

    /** Notes a meter in which each group that has it records. */
    private <M extends Meter> M recorded(M meter) {
        OWNERS.add(meter);
        meters.add(meter);
        return meter;
    }

    /** Notes a meter that is read from a source. */
    private void read(Meter meter) {
        if (OWNERS.addFirst(meter)) {
            meters.add(meter);
        } else if (!isSharingSaid.getAndSet(true)) {
            EngineLog.log(Level.WARNING, SHARED, meter.getId(), null);
        }
    }

    public <S> void gauge(String name, String unit, S source, ToDoubleFunction<S> value) {
        read(Gauge.builder(name, source, value)
                .baseUnit(unitOf(name, unit))
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a gauge of a time in the given unit; it is shown in that of the registry. */
    public <S> void timeGauge(String name, TimeUnit unit, S source, ToDoubleFunction<S> value) {
        read(TimeGauge.builder(name, source, unit, value)
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a counter that is read from somewhere. */
    public <S> void counter(String name, String unit, S source, ToDoubleFunction<S> count) {
        read(FunctionCounter.builder(name, source, count)
                .baseUnit(unitOf(name, unit))
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    public Counter counter(String name, String unit) {
        return recorded(Counter.builder(name)
                .baseUnit(unitOf(name, unit))
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a timer that is read from somewhere. */
    public <S> void timer(String name, S source, ToLongFunction<S> count, ToDoubleFunction<S> totalNanos) {
        read(FunctionTimer.builder(name, source, count, totalNanos, TimeUnit.NANOSECONDS)
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a timer as the builder has it. */
    public Timer timer(String name, UnaryOperator<Timer.Builder> settings) {
        return recorded(settings.apply(Timer.builder(name).description(descriptions.apply(name)))
                .tags(tags)
                .register(registry));
    }

    /**
     * Removes all meters from the registry, except shared ones that another group still has. Where a listener of the
     * registry fails, it throws the first failure, after all.
     */
    public void remove() {
        FirstFailure failure = new FirstFailure();
        while (!meters.isEmpty()) {
            Meter meter = meters.remove(meters.size() - 1);
            failure.keep(() -> {
                if (OWNERS.remove(meter)) {
                    Meter ignored = registry.remove(meter);
                }
            });
        }
        failure.throwIfAny();
    }

    /** Returns the object that registers meters here when it is created; if that fails, none of them is left. */
    public <T> T allOrNone(Supplier<T> registration) {
        try {
            return registration.get();
        } catch (Throwable ex) {
            try {
                remove();
            } catch (RuntimeException | Error unremoved) {
                ex.addSuppressed(unremoved);
            }
            throw ex;
        }
    }

    /** Keeps the first failure of several steps, each of which is taken no matter how the others went. One thread. */
    public static final class FirstFailure {

        private @Nullable RuntimeException exception;
        private @Nullable Error error;

        /** Takes a step. Throws nothing. */
        public void keep(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException ex) {
                exception = exception == null ? ex : exception;
            } catch (Error ex) {
                error = error == null ? ex : error;
            }
        }

        /** Throws the first error, else the first exception, if a step has failed. */
        public void throwIfAny() {
            if (error != null) {
                throw error;
            }
            if (exception != null) {
                throw exception;
            }
        }
    }
}
