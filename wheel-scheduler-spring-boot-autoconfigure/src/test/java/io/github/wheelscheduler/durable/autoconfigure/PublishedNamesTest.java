package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import javax.management.MBeanServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.util.StringUtils;

/** The names by which applications exclude, set, ask and watch what the auto-configuration brings. */
class PublishedNamesTest {

    private static final String OURS = "io.github.wheelscheduler.";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {}

    private static Resource[] find(String pattern) throws IOException {
        return new PathMatchingResourcePatternResolver().getResources("classpath*:" + pattern);
    }

    private static Map<String, List<String>> factoriesIn(String location) throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        for (Resource resource : find(location)) {
            PropertiesLoaderUtils.loadProperties(resource).forEach((key, names) -> {
                for (String name : StringUtils.commaDelimitedListToStringArray(String.valueOf(names))) {
                    if (name.startsWith(OURS)) {
                        found.computeIfAbsent(String.valueOf(key), unused -> new ArrayList<>())
                                .add(name);
                    }
                }
            });
        }
        return found;
    }

    @Test
    void autoConfigurationsHaveTheirNames() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Resource resource :
                find("META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")) {
            resource.getContentAsString(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(OURS))
                    .forEach(found::add);
        }
        assertThat(found)
                .containsExactly(
                        OURS + "autoconfigure.LateSchedulerHealthAutoConfiguration",
                        OURS + "autoconfigure.TimerWheelAutoConfiguration",
                        OURS + "autoconfigure.WheelRunObservationAutoConfiguration",
                        OURS + "autoconfigure.WheelSchedulerAutoConfiguration",
                        OURS + "autoconfigure.WheelSchedulerHealthAutoConfiguration",
                        OURS + "autoconfigure.WheelSchedulerMetricsAutoConfiguration",
                        OURS + "autoconfigure.WheelSchedulerObservationAutoConfiguration",
                        OURS + "autoconfigure.WheelSchedulerTracingAutoConfiguration",
                        OURS + "autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration",
                        OURS + "autoconfigure.dashboard.WheelDashboardAutoConfiguration",
                        OURS + "autoconfigure.endpoint.WheelSchedulerEndpointAutoConfiguration",
                        OURS + "autoconfigure.steering.SteeringAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableEndpointAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableFindingsAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableGuardAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableHealthAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableMetricsAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableObservationAutoConfiguration",
                        OURS + "history.autoconfigure.HistoryAutoConfiguration",
                        OURS + "history.autoconfigure.HistoryEndpointAutoConfiguration",
                        OURS + "history.autoconfigure.HistoryFindingsAutoConfiguration",
                        OURS + "history.autoconfigure.HistoryMetricsAutoConfiguration");
    }

    @Test
    void factoriesHaveTheirNames() throws IOException {
        assertThat(factoriesIn("META-INF/spring.factories"))
                .containsOnly(
                        Map.entry(
                                "org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer",
                                List.of(OURS + "autoconfigure.WheelSchedulerPreinitializer")),
                        Map.entry(
                                "org.springframework.boot.diagnostics.FailureAnalyzer",
                                List.of(
                                        OURS + "autoconfigure.UnusableSettingFailureAnalyzer",
                                        OURS + "autoconfigure.UnusableSetupFailureAnalyzer")));
        assertThat(factoriesIn("META-INF/spring/aot.factories"))
                .containsOnly(Map.entry(
                        "org.springframework.aot.hint.RuntimeHintsRegistrar",
                        List.of(OURS + "autoconfigure.HiddenMethodHints")));
    }

    /** A class that has a log names the category by itself, unless it is shown otherwise. */
    @Test
    void logCategoriesHaveTheirNames() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Resource resource : find("io/github/wheelscheduler/**/*.class")) {
            String path = resource.getURL().getPath();
            String name = path.substring(path.indexOf("io/github/wheelscheduler/"), path.length() - ".class".length())
                    .replace('/', '.');
            if (name.contains(".autoconfigure.")
                    && !path.contains("/test-classes/")
                    && resource.getContentAsString(StandardCharsets.ISO_8859_1)
                            .contains("org/apache/commons/logging/LogFactory")) {
                found.add(name);
            }
        }
        assertThat(found)
                .containsExactly(
                        OURS + "autoconfigure.GroupProperties",
                        OURS + "autoconfigure.SchedulerMeterBinding",
                        OURS + "autoconfigure.SchedulerSetup",
                        OURS + "autoconfigure.TaskOverrides",
                        OURS + "autoconfigure.WhereScheduledRuns",
                        OURS + "autoconfigure.endpoint.WheelSchedulerEndpoint",
                        OURS + "durable.autoconfigure.DurableAutoConfiguration",
                        OURS + "durable.autoconfigure.DurableEndpoint", // as io.github.wheelscheduler.durable
                        OURS + "durable.autoconfigure.DurableSchedules",
                        OURS + "history.autoconfigure.HistoryMemory");
    }

    @Test
    void endpointsBeansAndMBeansHaveTheirNames() {
        String domain = "names" + UUID.randomUUID();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.jmx.enabled=true",
                        "--management.endpoints.jmx.domain=" + domain,
                        "--management.endpoints.jmx.exposure.include=*")) {
            assertThat(context.getBeansWithAnnotation(Endpoint.class).values())
                    .extracting(bean ->
                            bean.getClass().getAnnotation(Endpoint.class).id())
                    .contains("wheelscheduler", "wheeldurable");
            assertThat(context.getBean(MBeanServer.class).queryNames(null, null))
                    .extracting(Object::toString)
                    .contains(
                            domain + ":type=Endpoint,name=Wheelscheduler", domain + ":type=Endpoint,name=Wheeldurable");
            assertThat(Set.of(context.getBeanDefinitionNames()))
                    .contains(
                            "taskScheduler",
                            "wheelSchedulerTimers",
                            "wheelSchedulerHealthContributor",
                            "wheelDurableTasks",
                            "wheelRecurringTasks",
                            "wheelDurableHealthContributor");
        }
    }
}
