package io.github.wheelscheduler.test;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
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
    private RunOrder order = RunOrder.SCHEDULED;

    @Override
    public void setImportMetadata(AnnotationMetadata metadata) {
        MergedAnnotation<AutoConfigureVirtualTime> annotation =
                metadata.getAnnotations().get(AutoConfigureVirtualTime.class);
        if (annotation.isPresent()) {
            start = Instant.parse(annotation.getString("start"));
            zone = ZoneId.of(annotation.getString("zone"));
            order = annotation.getEnum("order", RunOrder.class);
        }
    }

    @Bean
    VirtualTime virtualTime() {
        VirtualTime time = VirtualTime.startingAt(start, zone);
        time.setOrder(order);
        return time;
    }

    @Bean
    static BeanPostProcessor virtualTimeDriver(BeanFactory beanFactory) {
        return new Driver(beanFactory);
    }

    @Bean
    static BeanFactoryPostProcessor virtualClockDefiner() {
        return beanFactory -> {
            if (beanFactory.getBeanNamesForType(Clock.class, true, false).length == 0) {
                RootBeanDefinition definition = new RootBeanDefinition(
                        Clock.class,
                        () -> beanFactory.getBean(VirtualTime.class).clock());
                ((BeanDefinitionRegistry) beanFactory).registerBeanDefinition(CLOCK, definition);
            }
        };
    }

    /** Lets schedulers live in virtual time, and puts its clock in the place of each other clock, whatever qualifies that. */
    private record Driver(BeanFactory beanFactory) implements BeanPostProcessor {

        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
            if (bean instanceof WheelTaskScheduler scheduler) {
                beanFactory.getBean(VirtualTime.class).drive(scheduler);
            }
            return bean;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Clock && !(bean instanceof VirtualClock)
                    ? beanFactory.getBean(VirtualTime.class).clock()
                    : bean;
        }
    }
}
