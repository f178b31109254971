package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.meter.TimerMeterNames;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.spring.TimerWheel;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Meters stay as long as their beans, however those come and go. */
class SchedulerMeterBindingTest {

    private static ApplicationContextRunner withMetrics() {
        return withScheduling()
                .withBean(SimpleMeterRegistry.class)
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class));
    }

    private static KeyedTimers<String, String> timersOn(WheelScheduledExecutor executor) {
        return KeyedTimers.<String, String>builder(executor, (key, value) -> {}).build();
    }

    /** Spring reports no destruction of a bean that it could not create. */
    @Test
    void beanThatCouldNotBeCreatedLeavesItsMetersToTheNext() {
        withMetrics().run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            SchedulerMeterBinding binding = context.getBean(SchedulerMeterBinding.class);
            DefaultListableBeanFactory factory = (DefaultListableBeanFactory) context.getBeanFactory();
            AtomicInteger attempts = new AtomicInteger();
            factory.addBeanPostProcessor(new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    if (bean instanceof KeyedTimers && attempts.incrementAndGet() < 4) {
                        throw new IllegalStateException("on purpose");
                    }
                    return bean;
                }
            });
            WheelScheduledExecutor executor = context.getBean(TimerWheel.class).executor();
            factory.registerBeanDefinition(
                    "timers", new RootBeanDefinition(KeyedTimers.class, () -> timersOn(executor)));
            int beans = binding.size();
            int meters = registry.getMeters().size();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> context.getBean("timers"))
                        .isInstanceOf(BeanCreationException.class)
                        .hasRootCauseMessage("on purpose");
            }
            @SuppressWarnings("unchecked")
            KeyedTimers<String, String> timers = context.getBean("timers", KeyedTimers.class);
            assertThat(timers.set("key", "value", Duration.ofHours(1))).isNull();
            assertThat(binding.size()).isEqualTo(beans + 1);
            assertThat(registry.get(TimerMeterNames.TIMERS_PENDING).gauge().value())
                    .isEqualTo(1);
            factory.removeBeanDefinition("timers");
            assertThat(binding.size()).isEqualTo(beans);
            assertThat(registry.getMeters()).hasSize(meters);
        });
    }

    private static final class Forgetful implements FactoryBean<String> {

        @Override
        public String getObject() {
            return "made";
        }

        @Override
        public Class<?> getObjectType() {
            throw new IllegalStateException("on purpose");
        }
    }

    /** Spring itself takes such a type for an unknown one. */
    @Test
    void factoryThatFailsToNameItsTypeMayStart() {
        withMetrics()
                .withBean("forgetful", Forgetful.class, Forgetful::new)
                .run(context -> assertThat(context.getBean("forgetful")).isEqualTo("made"));
    }

    @Test
    void beanDestroyedWhileItsMetersAreRegisteredKeepsNone() {
        DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
                KeyedTimers<String, String> timers = timersOn(executor)) {
            factory.registerBeanDefinition("timers", new RootBeanDefinition(KeyedTimers.class));
            SchedulerMeterBinding[] binding = new SchedulerMeterBinding[1];
            AtomicInteger asked = new AtomicInteger();
            binding[0] = new SchedulerMeterBinding(
                    factory,
                    provider(() -> {
                        // First of all for the registry itself; then for the meters of the bean.
                        if (asked.incrementAndGet() == 2) {
                            binding[0].postProcessBeforeDestruction(timers, "timers");
                        }
                        return registry;
                    }),
                    provider(WheelSchedulerMetricsProperties::new));
            assertThat(binding[0].postProcessAfterInitialization(timers, "timers"))
                    .isSameAs(timers);
            assertThat(binding[0].size()).isOne();
            binding[0].afterSingletonsInstantiated();
            assertThat(asked).hasValue(2);
            assertThat(binding[0].size()).isZero();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    private static <T> ObjectProvider<T> provider(Supplier<T> value) {
        return new ObjectProvider<>() {
            @Override
            public T getObject() {
                return value.get();
            }

            @Override
            public T getIfUnique() {
                return value.get();
            }
        };
    }
}
