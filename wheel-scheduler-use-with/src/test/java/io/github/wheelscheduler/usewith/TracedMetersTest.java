package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.WheelSchedulerMetricsAutoConfiguration;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.autoconfigure.DurableMetricsAutoConfiguration;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.tracer.common.SpanContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.prometheus.PrometheusExemplarsAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

/** Exemplars of run timers, as Prometheus scrapes them, name the trace of the run. */
class TracedMetersTest {

    private static final Pattern TRACE = Pattern.compile("trace_id=\"(\\w+)\"");
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final List<TracedApplication> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(TracedApplication::close);
    }

    private TracedApplication opened(TracedApplication started) {
        open.add(started);
        return started;
    }

    /** Has a histogram of each of our timers, as a summary has no exemplars in the format of OpenMetrics. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        PrometheusExemplarsAutoConfiguration.class,
        WheelSchedulerMetricsAutoConfiguration.class,
        DurableMetricsAutoConfiguration.class
    })
    static class Scraped {

        @Bean
        PrometheusMeterRegistry meterRegistry(SpanContext spans) {
            PrometheusMeterRegistry made = new PrometheusMeterRegistry(
                    PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM, spans);
            made.config().meterFilter(new MeterFilter() {
                @Override
                public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                    return DistributionStatisticConfig.builder()
                            .percentilesHistogram(id.getName().startsWith("wheel."))
                            .build()
                            .merge(config);
                }
            });
            return made;
        }
    }

    /** Returns the trace ids of the exemplars of a timer. */
    private static List<String> exemplars(TracedApplication in, String timer, String label) {
        return in.bean(PrometheusMeterRegistry.class)
                .scrape(OPEN_METRICS)
                .lines()
                .filter(line -> line.startsWith(timer + "_seconds_bucket{") && line.contains(label))
                .flatMap(line -> TRACE.matcher(line).results())
                .map(match -> match.group(1))
                .distinct()
                .toList();
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {

        @Scheduled(fixedRate = 1_000_000)
        void annotated() {}

        @Scheduled(fixedRate = 1_000_000)
        void failing() {
            throw new IllegalStateException("on purpose");
        }

        @DurableHandler("note")
        void note(@Nullable String payload) {}
    }

    private static String trace(TracedApplication in, String key, String value) {
        List<Exported> runs = in.runs().stream()
                .filter(span -> value.equals(span.attributes().get(key)))
                .toList();
        assertThat(runs).hasSize(1);
        return runs.get(0).traceId();
    }

    @ParameterizedTest
    @EnumSource
    void exemplarOfARunTimerNamesTheTrace(Bridge bridge) {
        TracedApplication in = opened(
                new TracedApplication(bridge, List.of(Jobs.class, Scraped.class), "wheel.scheduler.observe=named"));
        Future<?> ignored = in.scheduler()
                .getTaskRegistry()
                .schedule("named", () -> {}, TaskSchedule.fixedRate(Duration.ofDays(1)));
        in.time().runCurrent();
        for (String timer : List.of("wheel_scheduler_task_run", "wheel_scheduler_task_lateness")) {
            assertThat(exemplars(in, timer, "task=\"named\"")).as(timer).containsExactly(trace(in, "task.id", "named"));
            for (String method : List.of("annotated", "failing")) {
                assertThat(exemplars(in, timer, "." + method + '"'))
                        .as(timer + " of " + method)
                        .containsExactly(trace(in, "code.function", method));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void exemplarOfADurableRunTimerNamesTheTrace(Bridge bridge) {
        TracedApplication in = opened(TracedApplication.durable(
                bridge,
                List.of(Jobs.class, Scraped.class),
                "database=t" + UUID.randomUUID(),
                "wheel.scheduler.observe=named"));
        assertThat(in.bean(DurableTasks.class).schedule("note", "n", null, Instant.now()))
                .isTrue();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> in.runs().stream().anyMatch(span -> span.name().equals("run note")));
        assertThat(exemplars(in, "wheel_scheduler_durable_run", "\"note\"")).containsExactly(trace(in, "task.id", "n"));
    }
}
