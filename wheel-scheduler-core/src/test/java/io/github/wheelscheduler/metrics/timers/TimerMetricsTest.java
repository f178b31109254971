package io.github.wheelscheduler.metrics.timers;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.internal.meter.TimerMeterNames;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Timers and leases are read on a scrape, and nothing is kept for that. */
class TimerMetricsTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private static TimerMetrics timersOf(String name, AtomicLong source) {
        return TimerMetrics.ofTimers(
                "keyed",
                name,
                source,
                AtomicLong::get,
                timers -> timers.get() + 1,
                timers -> timers.get() + 2,
                timers -> timers.get() + 3,
                timers -> Duration.ofMillis(timers.get()));
    }

    private double counter(String meter) {
        return registry.get(meter).functionCounter().count();
    }

    @Test
    void timersAreReadAtTheMomentOfAScrape() {
        AtomicLong source = new AtomicLong(7);
        timersOf("unpaid", source).bindTo(registry);
        assertThat(registry.get(TimerMeterNames.TIMERS_PENDING)
                        .tags(TimerMeterNames.TAG_NAME, "unpaid", TimerMeterNames.TAG_KIND, "keyed")
                        .gauge()
                        .value())
                .isEqualTo(7);
        source.set(10);
        assertThat(counter(TimerMeterNames.TIMERS_FIRED)).isEqualTo(11);
        assertThat(counter(TimerMeterNames.TIMERS_MOVED)).isEqualTo(12);
        assertThat(counter(TimerMeterNames.TIMERS_FAILED)).isEqualTo(13);
        FunctionTimer lateness = registry.get(TimerMeterNames.TIMERS_LATENESS).functionTimer();
        assertThat(lateness.count()).isEqualTo(11);
        assertThat(lateness.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(10);
    }

    @Test
    void leasesAreReadAtTheMomentOfAScrape() {
        AtomicLong source = new AtomicLong(7);
        TimerMetrics.ofLeases(
                        "locks",
                        source,
                        AtomicLong::get,
                        leases -> leases.get() + 1,
                        leases -> leases.get() + 2,
                        leases -> leases.get() + 3)
                .bindTo(registry);
        assertThat(registry.get(TimerMeterNames.LEASES_KEPT)
                        .tag(TimerMeterNames.TAG_NAME, "locks")
                        .gauge()
                        .value())
                .isEqualTo(7);
        assertThat(counter(TimerMeterNames.LEASES_RENEWED)).isEqualTo(8);
        assertThat(counter(TimerMeterNames.LEASES_FAILED)).isEqualTo(9);
        assertThat(counter(TimerMeterNames.LEASES_LOST)).isEqualTo(10);
    }

    @Test
    void metersAreThereOnceAndGoWhenTheBinderIsClosed() {
        AtomicLong source = new AtomicLong(1);
        try (TimerMetrics metrics = timersOf("unpaid", source)) {
            metrics.bindTo(registry);
            metrics.bindTo(registry);
            timersOf("other", source).bindTo(registry);
            assertThat(registry.getMeters()).hasSize(10);
        }
        assertThat(registry.getMeters())
                .hasSize(5)
                .allMatch(meter -> "other".equals(meter.getId().getTag(TimerMeterNames.TAG_NAME)));
    }

    @Test
    void listenerThatThrowsKeepsNoMeter() {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        TimerMetrics metrics = timersOf("unpaid", new AtomicLong(1));
        for (MeterRegistry each : List.of(registry, other)) {
            metrics.bindTo(each);
            each.config().onMeterRemoved(meter -> {
                throw new IllegalStateException("on purpose");
            });
        }
        assertThatIllegalStateException().isThrownBy(metrics::close).withMessage("on purpose");
        assertThat(registry.getMeters()).isEmpty();
        assertThat(other.getMeters()).isEmpty();
    }

    @Test
    void neitherTheBinderNorTheRegistryKeepsTimersAlive() {
        WeakReference<AtomicLong> gone = new WeakReference<>(new AtomicLong(1));
        TimerMetrics metrics = timersOf("gone", strong(gone));
        metrics.bindTo(registry);
        awaitThat(() -> {
            System.gc();
            return gone.get() == null;
        });
        assertThat(registry.get(TimerMeterNames.TIMERS_PENDING).gauge().value()).isNaN();
        SimpleMeterRegistry later = new SimpleMeterRegistry();
        metrics.bindTo(later);
        assertThat(later.getMeters()).isEmpty();
    }

    private static AtomicLong strong(WeakReference<AtomicLong> held) {
        AtomicLong found = held.get();
        return found == null ? new AtomicLong() : found;
    }
}
