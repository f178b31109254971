package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.autoconfigure.ProgramTimers;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerHealthAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.TaskScheduler;

/** When the endpoint is there. */
class WheelSchedulerEndpointAutoConfigurationTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=wheelscheduler";

    private static ApplicationContextRunner withEndpoint(ApplicationContextRunner runner) {
        return runner.withConfiguration(AutoConfigurations.of(WheelSchedulerEndpointAutoConfiguration.class))
                .withPropertyValues(EXPOSED);
    }

    @Test
    void pageIsThereWhereItIsExposed() {
        withEndpoint(withScheduling())
                .run(context -> assertThat(context)
                        .hasSingleBean(WheelSchedulerEndpoint.class)
                        .hasSingleBean(WheelSchedulerEndpointWebExtension.class));
    }

    @Test
    void endpointShowsAnApplicationsScheduler() {
        withEndpoint(new ApplicationContextRunner())
                .withBean("own", WheelTaskScheduler.class)
                .run(context -> assertThat(context.getBean(WheelSchedulerEndpoint.class)
                                .schedulers(null, null, null)
                                .schedulers())
                        .extracting(SchedulerDescriptor::name)
                        .containsExactly("own"));
    }

    @Test
    void endpointShowsASchedulerDeclaredByItsInterface() {
        withEndpoint(new ApplicationContextRunner())
                .withUserConfiguration(DeclaredByInterface.class)
                .run(context -> assertThat(context.getBean(WheelSchedulerEndpoint.class)
                                .schedulers(null, null, null)
                                .schedulers())
                        .extracting(SchedulerDescriptor::name)
                        .containsExactly("x"));
    }

    @Test
    void negativeShortestIntervalStopsTheStart() {
        withEndpoint(withScheduling())
                .withPropertyValues("wheel.scheduler.endpoint.min-interval=-1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableSettingException.class)
                        .hasMessageContaining("wheel.scheduler.endpoint.min-interval must not be negative"));
    }

    @Configuration(proxyBeanMethods = false)
    static class DeclaredByInterface {

        @Bean
        TaskScheduler x() {
            return new WheelTaskScheduler();
        }
    }

    @Test
    void endpointIsAbsentUnlessExposed() {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerEndpointAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean(WheelSchedulerEndpoint.class));
    }

    @Test
    void pageIsAbsentWithoutReadAccess() {
        withEndpoint(withScheduling())
                .withPropertyValues("management.endpoint.wheelscheduler.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(WheelSchedulerEndpoint.class));
    }

    @Test
    void endpointShowsNothingWithoutAWheel() {
        for (ApplicationContextRunner runner : List.of(
                withEndpoint(withScheduling()).withPropertyValues("wheel.scheduler.enabled=false"),
                withEndpoint(withoutScheduling()))) {
            runner.run(context -> assertThat(context.getBean(WheelSchedulerEndpoint.class)
                            .schedulers(null, null, null)
                            .schedulers())
                    .isEmpty());
        }
    }

    @Test
    void endpointIsAbsentWhereNothingCanBeOnAWheel() {
        withEndpoint(new ApplicationContextRunner())
                .run(context -> assertThat(context).doesNotHaveBean(WheelSchedulerEndpoint.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.springframework.boot.actuate", "org.springframework.boot.health"})
    void anApplicationWithoutTheActuatorStartsAndRunsItsTasks(String missing) {
        new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader(missing))
                .withUserConfiguration(Application.class)
                .withPropertyValues(EXPOSED)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(threadOfScheduledMethod(context)).isNotEmpty();
                    boolean hasHealth = context.containsBean("wheelSchedulerHealthContributor");
                    boolean hasEndpoint = context.containsBean("wheelSchedulerEndpoint");
                    assertThat(hasHealth).isNotEqualTo(missing.endsWith("health"));
                    assertThat(hasEndpoint).isNotEqualTo(missing.endsWith("actuate"));
                });
    }

    @Test
    void nativeImageKnowsWhatIsAnswered() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar()
                .registerRuntimeHints(hints, WheelSchedulerEndpoint.class, WheelSchedulerEndpointWebExtension.class);
        for (Class<?> answered : List.of(
                SchedulersDescriptor.class,
                SchedulerDescriptor.class,
                SchedulerDescriptor.Lateness.class,
                TaskDescriptor.class,
                TaskDescriptor.Run.class,
                ProgramTimers.Timers.class,
                ProgramTimers.Leases.class,
                ProblemDescriptor.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(answered))
                    .as(answered.getName())
                    .accepts(hints);
        }
    }

    /** Ours are picked as Boot picks them: by what is on the class path, before anything is loaded. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TaskSchedulingAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class,
        WheelSchedulerHealthAutoConfiguration.class,
        WheelSchedulerEndpointAutoConfiguration.class
    })
    @Import(SchedulingContexts.Scheduling.class)
    static class Application {}
}
