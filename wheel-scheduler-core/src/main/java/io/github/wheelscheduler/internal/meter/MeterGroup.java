package io.github.wheelscheduler.internal.meter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Meters of one registry that come and go together. The registry holds a weak reference to their source. Not for
 * several threads at a time.
 */
public record MeterGroup(MeterRegistry registry, UnaryOperator<String> descriptions, Tags tags, List<Meter> meters) {

    /**
     * Creates an empty group.
     *
     * @param descriptions returns the description of a meter for its name
     */
    public MeterGroup(MeterRegistry registry, UnaryOperator<String> descriptions, Tags tags) {
        this(registry, descriptions, tags, new ArrayList<>());
    }

    /**
     * Prometheus adds the unit to a name that does not end in it, even if it has it: {@code leases_lost_leases_total}.
     */
    private static @Nullable String unitOf(String name, String unit) {
        return !name.endsWith("." + unit) && List.of(name.split("\\.", -1)).contains(unit) ? null : unit;
    }

    /** Returns this group for meters that have a tag more. */
    public MeterGroup tagged(String key, String value) {
        return new MeterGroup(registry, descriptions, tags.and(key, value), meters);
    }

    /** Returns an empty group of the same registry for meters that have a tag more. */
    public MeterGroup apart(String key, String value) {
        return new MeterGroup(registry, descriptions, tags.and(key, value));
    }

    /**
     * Whether the registry has a meter of that name and these tags from another binder; it then goes with this group.
     */
    public boolean adopts(String name) {
        Meter present = registry.find(name).tags(tags).meter();
        if (present != null) {
            meters.add(present);
        }
        return present != null;
    }

    public <S> void gauge(String name, String unit, S source, ToDoubleFunction<S> value) {
        meters.add(Gauge.builder(name, source, value)
                .baseUnit(unitOf(name, unit))
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a gauge of a time in the given unit; it is shown in that of the registry. */
    public <S> void timeGauge(String name, TimeUnit unit, S source, ToDoubleFunction<S> value) {
        meters.add(TimeGauge.builder(name, source, unit, value)
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a counter that is read from somewhere. */
    public <S> void counter(String name, String unit, S source, ToDoubleFunction<S> count) {
        meters.add(FunctionCounter.builder(name, source, count)
                .baseUnit(unitOf(name, unit))
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    public Counter counter(String name, String unit) {
        Counter counter = Counter.builder(name)
                .baseUnit(unitOf(name, unit))
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry);
        meters.add(counter);
        return counter;
    }

    /** Adds a timer that is read from somewhere. */
    public <S> void timer(String name, S source, ToLongFunction<S> count, ToDoubleFunction<S> totalNanos) {
        meters.add(FunctionTimer.builder(name, source, count, totalNanos, TimeUnit.NANOSECONDS)
                .description(descriptions.apply(name))
                .tags(tags)
                .register(registry));
    }

    /** Adds a timer as the builder has it. */
    public Timer timer(String name, UnaryOperator<Timer.Builder> settings) {
        Timer timer = settings.apply(Timer.builder(name).description(descriptions.apply(name)))
                .tags(tags)
                .register(registry);
        meters.add(timer);
        return timer;
    }

    /** Removes all meters from the registry. */
    public void remove() {
        for (Meter meter : meters) {
            Meter ignored = registry.remove(meter);
        }
        meters.clear();
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
}
