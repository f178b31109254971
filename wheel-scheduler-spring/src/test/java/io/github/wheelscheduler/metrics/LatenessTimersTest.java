package io.github.wheelscheduler.metrics;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.testing.Heirloom;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However many runs start, timers tell how late. */
class LatenessTimersTest {

    private static final long SECOND = 1L << 30;
    private static final int BURST = 50_000;
    private static final double TOLERANCE = 1 / 30.0;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Timer wheel = registry.timer("wheel");
    private final Timer queue = registry.timer("queue");
    private final List<Runnable> agreed = new CopyOnWriteArrayList<>();
    private final LatenessTimers timers = new LatenessTimers(wheel, queue, agreed::add);

    private void start(int runs, long wheelNanos, long queueNanos, long nowNanos) {
        for (int i = 0; i < runs; i++) {
            timers.starting(wheelNanos, queueNanos, nowNanos);
        }
    }

    @Test
    void threadThatCatchesUpInheritsNothing() {
        Heirloom heirloom = new Heirloom();
        ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
        LatenessTimers own = heirloom.callWith("maker", application, () -> new LatenessTimers(wheel, queue));
        boolean ignored = heirloom.callWith("run", getClass().getClassLoader(), () -> {
            for (int i = 0; i <= LatenessTimers.DIRECT; i++) {
                own.starting(1, 1, 0);
            }
            return true;
        });
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("wheel-scheduler-meters")
                        && thread.getContextClassLoader() == application)
                .hasSize(1);
        assertThat(heirloom.parents()).isEmpty();
    }

    @Test
    void threadThatCatchesUpEndsWithTheMeters() {
        ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
        LatenessTimers own =
                new Heirloom().callWith("maker", application, () -> new LatenessTimers(wheel, queue, HOURS.toNanos(1)));
        for (int i = 0; i <= LatenessTimers.DIRECT; i++) {
            own.starting(1, 1, 0);
        }
        List<Thread> found = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getContextClassLoader() == application)
                .toList();
        assertThat(found).hasSize(1);
        own.close();
        awaitThat(() -> !found.get(0).isAlive());
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT + 1);
        // One that comes too late does not stay, either.
        for (int i = 0; i <= LatenessTimers.DIRECT; i++) {
            own.starting(1, 1, SECOND);
        }
        awaitThat(() -> wheel.count() == 2 * (LatenessTimers.DIRECT + 1));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE})
    void theFirstRunsOfASecondAreRecordedAtOnceAndExactly(long nowNanos) {
        start(LatenessTimers.DIRECT, 123, 4_567, nowNanos);
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT);
        assertThat(queue.count()).isEqualTo(LatenessTimers.DIRECT);
        assertThat(wheel.totalTime(NANOSECONDS)).isEqualTo(123.0 * LatenessTimers.DIRECT);
        assertThat(queue.max(NANOSECONDS)).isEqualTo(4_567);
        start(1, 123, 4_567, nowNanos + SECOND);
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT + 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 999, 1_000_000, 61_000_000_000L, Long.MAX_VALUE / 2})
    void deferredRunsAreRecordedOnScrapeWithinAThirtieth(long nanos) {
        start(LatenessTimers.DIRECT, 0, 0, 0);
        start(1, nanos, nanos / 3, 0);
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT);
        timers.catchUp();
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT + 1);
        assertThat(wheel.totalTime(NANOSECONDS)).isCloseTo((double) nanos, within(1 + nanos * TOLERANCE));
        assertThat(queue.max(NANOSECONDS)).isCloseTo(nanos / 3.0, within(1 + nanos * TOLERANCE / 3));
        timers.catchUp();
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT + 1);
    }

    @Test
    void deferredRunsAreRecordedLaterWithoutAScrape() {
        start(LatenessTimers.DIRECT + 10, 5_000, 5_000, 0);
        assertThat(agreed).hasSize(1);
        agreed.get(0).run();
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT + 10);
        start(1, 5_000, 5_000, 0);
        assertThat(agreed).hasSize(2);
        agreed.get(1).run();
        assertThat(queue.count()).isEqualTo(LatenessTimers.DIRECT + 11);
    }

    @Test
    void nextRunAsksAgainForAThread() {
        AtomicInteger asked = new AtomicInteger();
        LatenessTimers poor = new LatenessTimers(wheel, queue, action -> {
            if (asked.incrementAndGet() == 1) {
                throw new OutOfMemoryError("no thread");
            }
            action.run();
        });
        for (int i = 0; i < LatenessTimers.DIRECT; i++) {
            poor.starting(0, 0, 0);
        }
        assertThatThrownBy(() -> poor.starting(5_000, 5_000, 0)).isInstanceOf(OutOfMemoryError.class);
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT);
        poor.starting(5_000, 5_000, 0);
        assertThat(wheel.count()).isEqualTo(LatenessTimers.DIRECT + 2);
    }

    @Test
    void laterIsSoon() {
        LatenessTimers real = new LatenessTimers(wheel, queue);
        for (int i = 0; i < BURST; i++) {
            real.starting(5_000, 5_000, 0);
        }
        awaitThat(() -> wheel.count() == BURST && queue.count() == BURST);
    }

    @Test
    void sameShareOfEachSizeIsRecordedOfFarTooManyRuns() {
        start(LatenessTimers.DIRECT, 0, 0, 0);
        start(3 * LatenessTimers.MOST_AT_A_TIME, 1_000_000, 0, 0);
        start(LatenessTimers.MOST_AT_A_TIME, 9_000_000, 0, 0);
        start(1, 60_000_000_000L, 0, 0);
        timers.catchUp();
        assertThat(wheel.count())
                .isBetween(
                        (long) LatenessTimers.MOST_AT_A_TIME,
                        LatenessTimers.MOST_AT_A_TIME + LatenessTimers.DIRECT + 10L);
        assertThat(wheel.max(NANOSECONDS)).isCloseTo(60e9, within(60e9 * TOLERANCE));
        double withoutTheLongest = wheel.totalTime(NANOSECONDS) - wheel.max(NANOSECONDS);
        assertThat(withoutTheLongest / wheel.count()).isCloseTo(3e6, within(3e6 * 0.1));
    }

    @Test
    void threadsThatShareTimersLoseNothing() throws Exception {
        int runs = 100_000;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Thread thread = new Thread(() -> start(runs / 20, 5_000, 7_000, 0));
            threads.add(thread);
            thread.start();
        }
        timers.catchUp();
        for (Thread thread : threads) {
            thread.join();
        }
        timers.catchUp();
        assertThat(wheel.count()).isEqualTo(runs);
        assertThat(queue.count()).isEqualTo(runs);
    }

    @Test
    void scrapeAfterABurstShowsEveryRun() {
        assertThat(scrapeAfter(BURST, new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)))
                .contains("wheel_scheduler_lateness_seconds_count{name=\"jobs\",stage=\"queue\"} " + BURST)
                .contains("wheel_scheduler_lateness_seconds_count{name=\"jobs\",stage=\"wheel\"} " + BURST);
    }

    @Test
    void histogramReachesFromTenMicrosecondsToAMinute() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        prometheus.config().meterFilter(new Histograms());
        String prefix = "wheel_scheduler_lateness_seconds_bucket{name=\"jobs\",stage=\"queue\",le=\"";
        List<String> buckets = scrapeAfter(BURST, prometheus)
                .lines()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .toList();
        assertThat(buckets).hasSizeGreaterThan(50).last().isEqualTo("+Inf\"} " + BURST);
        assertThat(buckets.get(0)).startsWith("1.0E-5\"} ");
        assertThat(buckets.get(buckets.size() - 2)).startsWith("60.0\"} ");
    }

    private static String scrapeAfter(int runs, PrometheusMeterRegistry prometheus) {
        try (MeteredScheduler metered =
                new MeteredScheduler(settings -> {}, prometheus, WheelSchedulerMetrics.DEFAULT_MAX_TASKS)) {
            for (int i = 0; i < runs; i++) {
                metered.scheduler.execute(() -> {});
            }
            awaitThat(() -> metered.timer(MeterNames.LATENESS, "stage", "wheel").count() == runs);
            awaitThat(() -> metered.timer(MeterNames.LATENESS, "stage", "queue").count() == runs);
            return prometheus.scrape();
        }
    }

    private static final class Histograms implements MeterFilter {

        @Override
        public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
            return DistributionStatisticConfig.builder()
                    .percentilesHistogram(true)
                    .build()
                    .merge(config);
        }
    }
}
