package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpoint;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpointAutoConfiguration;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.cglib.proxy.Factory;
import org.springframework.cglib.proxy.MethodInterceptor;
import org.springframework.objenesis.SpringObjenesis;

/** A scheduler that a test has replaced by a mock, which answers every question with nothing. */
class MockedSchedulerTest {

    private static final WheelTaskScheduler OTHER = new WheelTaskScheduler();

    private static ApplicationContextRunner everything() {
        return withScheduling()
                .withConfiguration(AutoConfigurations.of(
                        WheelSchedulerEndpointAutoConfiguration.class,
                        WheelSchedulerHealthAutoConfiguration.class,
                        LateSchedulerHealthAutoConfiguration.class,
                        WheelSchedulerMetricsAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=wheelscheduler",
                        "management.endpoints.jmx.exposure.include=wheelscheduler");
    }

    /**
     * Makes one as mocking libraries do it: no constructor has run. A deep one answers some questions with other mocks.
     */
    private static WheelTaskScheduler mock(boolean isDeep) {
        Enhancer enhancer = new Enhancer();
        enhancer.setSuperclass(WheelTaskScheduler.class);
        enhancer.setCallbackType(MethodInterceptor.class);
        Class<?> type = enhancer.createClass();
        Object mock = new SpringObjenesis().newInstance(type, false);
        MethodInterceptor nothing = (self, method, arguments, proxy) -> switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> self == arguments[0];
            case "toString" -> "mock";
            case "getTaskRegistry" -> isDeep ? OTHER.getTaskRegistry() : null;
            case "getTaskCatalog" -> isDeep ? OTHER.getTaskCatalog() : null;
            default -> nothingOf(method.getReturnType());
        };
        ((Factory) mock).setCallbacks(new MethodInterceptor[] {nothing});
        return (WheelTaskScheduler) mock;
    }

    private static @Nullable Object nothingOf(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? (Object) 0 : type == long.class ? (Object) 0L : null;
    }

    private static void assertThatNothingShowsIt(AssertableApplicationContext context, String... others) {
        assertThat(context).hasNotFailed();
        assertThat(context.getBean(WheelSchedulerEndpoint.class)
                        .schedulers(null, null, null)
                        .schedulers())
                .extracting("name")
                .containsExactlyInAnyOrder((Object[]) others);
        assertThat(context.getBean(MeterRegistry.class).getMeters())
                .extracting(meter -> meter.getId().getTag("name"))
                .doesNotContain("mocked", "taskScheduler");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMockThatIsABeanIsLeftOutEverywhere(boolean isDeep) {
        everything()
                .withBean("mocked", WheelTaskScheduler.class, () -> mock(isDeep))
                .run(context -> {
                    assertThatNothingShowsIt(context);
                    assertThat(context.getBean(HealthContributorRegistry.class).getContributor("wheelScheduler"))
                            .isNull();
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMockBesideASchedulerLeavesThatAlone(boolean isDeep) {
        everything()
                .withBean("mocked", WheelTaskScheduler.class, () -> mock(isDeep))
                .withBean(
                        "orders",
                        WheelTaskScheduler.class,
                        WheelTaskScheduler::new,
                        (BeanDefinition definition) -> definition.setPrimary(true))
                .run(context -> {
                    assertThatNothingShowsIt(context, "orders");
                    assertThat(context.getBean(HealthContributorRegistry.class).getContributor("wheelScheduler"))
                            .isInstanceOf(WheelSchedulerHealthIndicator.class);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMockedWheelLeavesGroupsAndTimersOnWheelsOfTheirOwn(boolean isDeep) {
        everything()
                .withPropertyValues("wheel.scheduler.groups.reports.max-size=2")
                .withInitializer(context -> context.addBeanFactoryPostProcessor(beanFactory -> {
                    ((BeanDefinitionRegistry) beanFactory).removeBeanDefinition("taskScheduler");
                    beanFactory.registerSingleton("taskScheduler", mock(isDeep));
                }))
                .run(context -> {
                    assertThatNothingShowsIt(context, "reports");
                    assertThat(context.getBean("reports", WheelTaskScheduler.class)
                                    .submit(() -> "ran")
                                    .get(30, TimeUnit.SECONDS))
                            .isEqualTo("ran");
                    assertThat(context.getBean(TimerWheel.class)
                                    .executor()
                                    .submit(() -> "ran")
                                    .get(30, TimeUnit.SECONDS))
                            .isEqualTo("ran");
                });
    }
}
