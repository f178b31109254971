package io.github.wheelscheduler.metrics.timers;

import io.github.wheelscheduler.internal.meter.MeterGroup;
import io.github.wheelscheduler.internal.meter.MeterGroup.FirstFailure;
import io.github.wheelscheduler.internal.meter.TimerMeterNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Binds the meters of timers for programs to registries: of keyed timers, idle timeouts, leases, or a timer of Netty,
 * which are read on a scrape.
 *
 * <pre>{@code
 * unpaid.measureLateness();
 * TimerMetrics.ofTimers("keyed", "unpaid", unpaid, KeyedTimers::size, timers -> timers.counts().fired(),
 *         KeyedTimers::moves, timers -> timers.counts().failures(), KeyedTimers::lateness).bindTo(registry);
 * }</pre>
 *
 * <p>Neither this nor a registry keeps the timers from being collected. All methods may be called from any thread.
 */
public final class TimerMetrics implements MeterBinder, AutoCloseable {

    private static final String TIMERS = "timers";
    private static final String LEASES = "leases";
    private static final String RENEWALS = "renewals";

    private final String name;
    private final Consumer<MeterGroup> registration;

    /** Guarded by this. */
    private final IdentityHashMap<MeterRegistry, MeterGroup> bound = new IdentityHashMap<>();

    private TimerMetrics(String name, Consumer<MeterGroup> registration) {
        this.name = Objects.requireNonNull(name, "name must not be null");
        this.registration = registration;
    }

    /**
     * Creates a binder for timers.
     *
     * @param kind the value of the tag {@code kind}
     * @param name the value of the tag {@code name}, usually the name of the bean
     * @param pending returns the number of pending timers
     * @param fired returns the number of timers that have fired so far
     * @param moved returns the number of times so far that a timer has been given another time
     * @param failed returns the number of handlers that have failed so far
     * @param lateness returns the total lateness of all timers that have fired
     */
    public static <T> TimerMetrics ofTimers(
            String kind,
            String name,
            T timers,
            ToLongFunction<T> pending,
            ToLongFunction<T> fired,
            ToLongFunction<T> moved,
            ToLongFunction<T> failed,
            Function<T, Duration> lateness) {
        Objects.requireNonNull(kind, "kind must not be null");
        return of(name, timers, (group, source) -> {
            MeterGroup tagged = group.tagged(TimerMeterNames.TAG_KIND, kind);
            tagged.gauge(TimerMeterNames.TIMERS_PENDING, TIMERS, source, pending::applyAsLong);
            tagged.counter(TimerMeterNames.TIMERS_FIRED, TIMERS, source, fired::applyAsLong);
            tagged.counter(TimerMeterNames.TIMERS_MOVED, "moves", source, moved::applyAsLong);
            tagged.counter(TimerMeterNames.TIMERS_FAILED, "calls", source, failed::applyAsLong);
            tagged.timer(
                    TimerMeterNames.TIMERS_LATENESS,
                    source,
                    fired,
                    each -> lateness.apply(each).toNanos());
        });
    }

    /**
     * Creates a binder for leases.
     *
     * @param name the value of the tag {@code name}, usually the name of the bean
     * @param kept returns the number of leases that are kept
     * @param renewed returns the number of renewals that have succeeded so far
     * @param failed returns the number of renewals that have failed so far
     * @param lost returns the number of leases that have been lost so far
     */
    public static <T> TimerMetrics ofLeases(
            String name,
            T leases,
            ToLongFunction<T> kept,
            ToLongFunction<T> renewed,
            ToLongFunction<T> failed,
            ToLongFunction<T> lost) {
        return of(name, leases, (group, source) -> {
            group.gauge(TimerMeterNames.LEASES_KEPT, LEASES, source, kept::applyAsLong);
            group.counter(TimerMeterNames.LEASES_RENEWED, RENEWALS, source, renewed::applyAsLong);
            group.counter(TimerMeterNames.LEASES_FAILED, RENEWALS, source, failed::applyAsLong);
            group.counter(TimerMeterNames.LEASES_LOST, LEASES, source, lost::applyAsLong);
        });
    }

    private static <T> TimerMetrics of(String name, T timers, BiConsumer<MeterGroup, T> meters) {
        WeakReference<T> held = new WeakReference<>(Objects.requireNonNull(timers, "timers must not be null"));
        return new TimerMetrics(name, group -> {
            T source = held.get();
            if (source != null) {
                meters.accept(group, source);
            }
        });
    }

    /**
     * Registers the meters; without effect if they are registered there already, or the timers have been collected.
     * Earlier counts are included. Where the registry throws, no meter is left behind.
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (!bound.containsKey(registry)) {
            MeterGroup group =
                    new MeterGroup(registry, TimerMeterNames::descriptionOf, Tags.of(TimerMeterNames.TAG_NAME, name));
            bound.put(registry, group.allOrNone(() -> {
                registration.accept(group);
                return group;
            }));
        }
    }

    /** Removes the meters from all registries. */
    @Override
    public synchronized void close() {
        FirstFailure failure = new FirstFailure();
        bound.values().forEach(each -> failure.keep(each::remove));
        bound.clear();
        failure.throwIfAny();
    }
}
