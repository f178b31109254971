package io.github.wheelscheduler.usewith;

import brave.handler.MutableSpan;
import brave.test.TestSpanHandler;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelRunObservationAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerCustomizer;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerObservationAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerTracingAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration;
import io.github.wheelscheduler.durable.autoconfigure.DurableObservationAutoConfiguration;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.test.VirtualTime;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;

/** An application in virtual time whose spans are exported to memory. */
final class TracedApplication implements AutoCloseable {

    /** What makes spans. */
    enum Bridge {
        OPEN_TELEMETRY(OpenTelemetry.class),
        BRAVE(Brave.class);

        private final Class<?> configuration;

        Bridge(Class<?> configuration) {
            this.configuration = configuration;
        }
    }

    /** Is no exporter itself: to a bean of that type, Boot would export each span once more, later. */
    record SpansInMemory(InMemorySpanExporter exporter) {}

    /**
     * A span that has been exported, in the words of no library.
     *
     * @param parentId empty for a root
     * @param links trace and span of each, with a dash between them
     */
    record Exported(
            String name,
            String traceId,
            String spanId,
            String parentId,
            List<String> links,
            String kind,
            Map<String, String> attributes) {

        /** Returns what a link to it says. */
        String link() {
            return traceId + "-" + spanId;
        }
    }

    private final ConfigurableApplicationContext context;

    TracedApplication(Bridge bridge, List<Class<?>> beans, String... properties) {
        this(bridge, InVirtualTime.class, beans, properties);
    }

    /** Makes one with durable tasks, in real time, as the database has it. */
    static TracedApplication durable(Bridge bridge, List<Class<?>> beans, String... properties) {
        return new TracedApplication(bridge, DurableTasksThere.class, beans, properties);
    }

    private TracedApplication(Bridge bridge, Class<?> time, List<Class<?>> beans, String... properties) {
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
        List<Class<?>> sources = new ArrayList<>(beans);
        sources.add(time);
        sources.add(bridge.configuration);
        context = new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(properties)
                .properties("management.tracing.sampling.probability=1.0")
                .run();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    WheelTaskScheduler scheduler() {
        return context.getBean("taskScheduler", WheelTaskScheduler.class);
    }

    WheelTaskScheduler group(String name) {
        return context.getBean(name, WheelTaskScheduler.class);
    }

    VirtualTime time() {
        return bean(VirtualTime.class);
    }

    /** Calls it as a request would, in an observation with a span. */
    void request(Runnable call) {
        Observation.createNotStarted("request", bean(ObservationRegistry.class)).observe(call);
    }

    /** Returns the spans that have ended, but those of requests. */
    List<Exported> runs() {
        return exported().filter(span -> !span.name().equals("request")).toList();
    }

    /** Returns the span of the last request. */
    Exported request() {
        return exported()
                .filter(span -> span.name().equals("request"))
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private Stream<Exported> exported() {
        return Stream.concat(
                context.getBeanProvider(SpansInMemory.class).stream()
                        .flatMap(spans -> spans.exporter().getFinishedSpanItems().stream())
                        .map(TracedApplication::of),
                context.getBeanProvider(TestSpanHandler.class).stream()
                        .flatMap(handler -> List.copyOf(handler.spans()).stream())
                        .map(TracedApplication::of));
    }

    void forgetSpans() {
        context.getBeanProvider(SpansInMemory.class)
                .forEach(spans -> spans.exporter().reset());
        context.getBeanProvider(TestSpanHandler.class).forEach(TestSpanHandler::clear);
    }

    private static Exported of(SpanData span) {
        Map<String, String> attributes = new HashMap<>();
        span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), String.valueOf(value)));
        if (span.getParentSpanContext().isValid()) {
            attributes.put(
                    "parent.remote", String.valueOf(span.getParentSpanContext().isRemote()));
        }
        return new Exported(
                span.getName(),
                span.getTraceId(),
                span.getSpanId(),
                span.getParentSpanContext().isValid() ? span.getParentSpanId() : "",
                span.getLinks().stream()
                        .map(link -> link.getSpanContext().getTraceId() + "-"
                                + link.getSpanContext().getSpanId())
                        .toList(),
                span.getKind().name(),
                attributes);
    }

    /** Brave writes links as tags. */
    private static Exported of(MutableSpan span) {
        Map<String, String> tags = new TreeMap<>(span.tags());
        List<String> links = new ArrayList<>();
        for (int i = 0; tags.containsKey("links[" + i + "].traceId"); i++) {
            links.add(tags.get("links[" + i + "].traceId") + "-" + tags.get("links[" + i + "].spanId"));
        }
        return new Exported(
                span.name(),
                span.traceId(),
                span.id(),
                span.parentId() == null ? "" : span.parentId(),
                links,
                span.kind() == null ? "INTERNAL" : span.kind().name(),
                tags);
    }

    @Override
    public void close() {
        context.close();
        System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
    }

    @Configuration(proxyBeanMethods = false)
    static class InVirtualTime {

        @Bean
        VirtualTime time() {
            return VirtualTime.create();
        }

        @Bean
        WheelSchedulerCustomizer driver(VirtualTime time) {
            return time::drive;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DurableAutoConfiguration.class, DurableObservationAutoConfiguration.class})
    static class DurableTasksThere {

        @Bean
        HikariDataSource dataSource(Environment environment) {
            HikariDataSource made = new HikariDataSource();
            made.setJdbcUrl("jdbc:h2:mem:" + environment.getRequiredProperty("database") + ";DB_CLOSE_DELAY=-1");
            made.setUsername("sa");
            return made;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @ImportAutoConfiguration({
        OpenTelemetrySdkAutoConfiguration.class,
        OpenTelemetryTracingAutoConfiguration.class,
        MicrometerTracingAutoConfiguration.class,
        ObservationAutoConfiguration.class,
        ScheduledTasksObservationAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class,
        TimerWheelAutoConfiguration.class,
        WheelRunObservationAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class,
        WheelSchedulerObservationAutoConfiguration.class,
        WheelSchedulerTracingAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class
    })
    static class OpenTelemetry {

        @Bean
        SpansInMemory spansInMemory() {
            return new SpansInMemory(InMemorySpanExporter.create());
        }

        @Bean
        SpanProcessor exportAtOnce(SpansInMemory spans) {
            return SimpleSpanProcessor.create(spans.exporter());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @ImportAutoConfiguration({
        BraveAutoConfiguration.class,
        MicrometerTracingAutoConfiguration.class,
        ObservationAutoConfiguration.class,
        ScheduledTasksObservationAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class,
        TimerWheelAutoConfiguration.class,
        WheelRunObservationAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class,
        WheelSchedulerObservationAutoConfiguration.class,
        WheelSchedulerTracingAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class
    })
    static class Brave {

        @Bean
        TestSpanHandler spansInMemory() {
            return new TestSpanHandler();
        }
    }
}
