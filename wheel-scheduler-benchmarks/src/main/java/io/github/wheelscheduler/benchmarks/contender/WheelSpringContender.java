package io.github.wheelscheduler.benchmarks.contender;

import io.github.wheelscheduler.metrics.MeterNames;
import io.github.wheelscheduler.metrics.WheelSchedulerMetrics;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.jspecify.annotations.Nullable;

/** Our scheduler as Spring sees it. */
final class WheelSpringContender extends SpringContender {

    private static final String THREAD_PREFIX = "wheel-spring-";

    private final @Nullable PrometheusMeterRegistry registry;

    private WheelSpringContender(WheelTaskScheduler scheduler, @Nullable PrometheusMeterRegistry registry) {
        super(scheduler, scheduler::shutdown);
        this.registry = registry;
    }

    static WheelSpringContender withDefaults() {
        return new WheelSpringContender(started(), null);
    }

    static WheelSpringContender withWorkers(int workers) {
        WheelTaskScheduler scheduler = started();
        scheduler.setPoolSize(workers);
        return new WheelSpringContender(scheduler, null);
    }

    static WheelSpringContender withMeters() {
        return withMetersIn(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    /** With meters, of which those for lateness have the buckets that Prometheus is to add up. */
    static WheelSpringContender withHistograms() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config().meterFilter(new Histograms());
        return withMetersIn(registry);
    }

    private static WheelSpringContender withMetersIn(PrometheusMeterRegistry registry) {
        WheelTaskScheduler scheduler = started();
        new WheelSchedulerMetrics(scheduler, "measured").bindTo(registry);
        return new WheelSpringContender(scheduler, registry);
    }

    private static WheelTaskScheduler started() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setThreadNamePrefix(THREAD_PREFIX);
        scheduler.afterPropertiesSet();
        return scheduler;
    }

    @Override
    public @Nullable Thread timerThread() {
        return LiveThreads.named((THREAD_PREFIX + "tick")::equals);
    }

    @Override
    public void look() {
        if (registry != null && !registry.scrape().contains("wheel_scheduler_lateness_seconds_count")) {
            throw new IllegalStateException("a scrape must hold the meters, was " + registry.scrape());
        }
    }

    private static final class Histograms implements MeterFilter {

        @Override
        public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
            return id.getName().equals(MeterNames.LATENESS)
                    ? DistributionStatisticConfig.builder()
                            .percentilesHistogram(true)
                            .build()
                            .merge(config)
                    : config;
        }
    }
}
