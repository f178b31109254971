package io.github.wheelscheduler.test;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportAware;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;

/** What {@link AutoConfigureVirtualTime} brings into a context. */
@Configuration(proxyBeanMethods = false)
class VirtualTimeConfiguration implements ImportAware {

    private static final String CLOCK = "virtualClock";

    private Instant start = VirtualTime.DEFAULT_START;
    private ZoneId zone = ZoneId.of("UTC");

    @Override
    public void setImportMetadata(AnnotationMetadata metadata) {
        MergedAnnotation<AutoConfigureVirtualTime> annotation =
                metadata.getAnnotations().get(AutoConfigureVirtualTime.class);
        if (annotation.isPresent()) {
            start = Instant.parse(annotation.getString("start"));
            zone = ZoneId.of(annotation.getString("zone"));
        }
    }

    @Bean
    VirtualTime virtualTime() {
        return VirtualTime.startingAt(start, zone);
    }

    @Bean
    static BeanPostProcessor virtualTimeDriver(BeanFactory beanFactory) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                if (bean instanceof WheelTaskScheduler scheduler) {
                    beanFactory.getBean(VirtualTime.class).drive(scheduler);
                }
                return bean;
            }
        };
    }

    @Bean
    static BeanDefinitionRegistryPostProcessor virtualClocks() {
        return new VirtualClocks();
    }

    /** Puts the clock of virtual time in the place of each clock of the application. */
    private static final class VirtualClocks implements BeanDefinitionRegistryPostProcessor {

        @Override
        public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {}

        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
            BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
            String[] names = beanFactory.getBeanNamesForType(Clock.class, true, false);
            for (String name : names.length == 0 ? new String[] {CLOCK} : names) {
                if (registry.containsBeanDefinition(name)) {
                    boolean isPrimary = registry.getBeanDefinition(name).isPrimary();
                    registry.removeBeanDefinition(name);
                    register(registry, beanFactory, name, isPrimary);
                } else if (names.length == 0) {
                    register(registry, beanFactory, name, false);
                }
            }
        }

        private static void register(
                BeanDefinitionRegistry registry, BeanFactory beanFactory, String name, boolean isPrimary) {
            RootBeanDefinition definition = new RootBeanDefinition(
                    Clock.class, () -> beanFactory.getBean(VirtualTime.class).clock());
            definition.setPrimary(isPrimary);
            registry.registerBeanDefinition(name, definition);
        }
    }
}
