package io.github.wheelscheduler.autoconfigure.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** When the page is there. */
class WheelDashboardAutoConfigurationTest {

    private static final AutoConfigurations OURS_AND_THE_ACTUATOR = AutoConfigurations.of(
            WheelDashboardAutoConfiguration.class,
            EndpointAutoConfiguration.class,
            WebEndpointAutoConfiguration.class,
            ManagementContextAutoConfiguration.class);
    private static final String EXPOSED = "management.endpoints.web.exposure.include=wheeldashboard";

    private static final WebApplicationContextRunner SERVLET =
            new WebApplicationContextRunner().withConfiguration(OURS_AND_THE_ACTUATOR);
    private static final ReactiveWebApplicationContextRunner REACTIVE =
            new ReactiveWebApplicationContextRunner().withConfiguration(OURS_AND_THE_ACTUATOR);

    @Test
    void pageIsThereWhereItIsExposed() {
        SERVLET.withPropertyValues(EXPOSED)
                .run(context -> assertThat(context)
                        .hasSingleBean(WheelDashboardEndpoint.class)
                        .hasBean("wheelDashboardFilter")
                        .hasSingleBean(CrossSiteServletMapping.class));
        REACTIVE.withPropertyValues(EXPOSED)
                .run(context -> assertThat(context)
                        .hasSingleBean(WheelDashboardEndpoint.class)
                        .hasSingleBean(DashboardWebFilter.class)
                        .hasSingleBean(CrossSiteReactiveMapping.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"management.endpoints.web.exposure.include=health", "management.endpoints.jmx.exposure.include=*"
            })
    void itIsNotThereUnlessItIsExposedToTheWeb(String property) {
        SERVLET.withPropertyValues("spring.jmx.enabled=true", property)
                .run(context -> assertThat(context)
                        .doesNotHaveBean(WheelDashboardEndpoint.class)
                        .doesNotHaveBean("wheelDashboardFilter")
                        .hasSingleBean(CrossSiteServletMapping.class));
    }

    @Test
    void pageIsAbsentWithoutReadAccess() {
        SERVLET.withPropertyValues(EXPOSED, "management.endpoint.wheeldashboard.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(WheelDashboardEndpoint.class));
    }

    @Test
    void pagesOfOtherSitesAreRefusedWithoutItsModule() {
        SERVLET.withPropertyValues(EXPOSED)
                .withClassLoader(new FilteredClassLoader("io.github.wheelscheduler.dashboard"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("wheelDashboardFilter")
                        .hasSingleBean(CrossSiteServletMapping.class));
        REACTIVE.withPropertyValues(EXPOSED)
                .withClassLoader(new FilteredClassLoader("io.github.wheelscheduler.dashboard"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(CrossSiteReactiveMapping.class));
    }

    @Test
    void pageIsAbsentWithoutTheWeb() {
        new ApplicationContextRunner()
                .withConfiguration(OURS_AND_THE_ACTUATOR)
                .withPropertyValues(EXPOSED)
                .run(context -> assertThat(context).doesNotHaveBean(WheelDashboardEndpoint.class));
    }

    @Test
    void nativeImageHasItsFiles() {
        RuntimeHints hints = new RuntimeHints();
        new WheelDashboardAutoConfiguration.Hints().registerHints(hints, null);
        for (String file : List.of("index.html", "app.js", "app.css")) {
            assertThat(RuntimeHintsPredicates.resource().forResource("io/github/wheelscheduler/dashboard/page/" + file))
                    .as(file)
                    .accepts(hints);
        }
    }
}
