package io.github.wheelscheduler.test;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.test.VirtualTimeContextCustomizerFactory.Settings;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportAware;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The beans that {@link AutoConfigureVirtualTime} adds to a context. The selector is imported here: on the annotation,
 * it would make Boot cache a context of its own for each set of annotations of a test class.
 */
@Configuration(proxyBeanMethods = false)
@Import(DurableVirtualTimeSelector.class)
class VirtualTimeConfiguration implements ImportAware {

    private static final String CLOCK = "virtualClock";

    /** The annotation of the class that imported this configuration; the annotation of a test may be nearer. */
    private @Nullable Settings imported;

    @Override
    public void setImportMetadata(AnnotationMetadata metadata) {
        MergedAnnotation<AutoConfigureVirtualTime> annotation =
                metadata.getAnnotations().get(AutoConfigureVirtualTime.class);
        if (annotation.isPresent()) {
            imported = Settings.of(annotation);
        }
    }

    private @Nullable Settings settings(ObjectProvider<Settings> ofTest) {
        return ofTest.getIfAvailable(() -> imported);
    }

    /** Before properties are bound. */
    @Bean
    static BeanFactoryPostProcessor virtualDurableTasks() {
        return beanFactory -> {
            Settings settings = beanFactory
                    .getBean(VirtualTimeConfiguration.class)
                    .settings(beanFactory.getBeanProvider(Settings.class));
            if (settings != null && !settings.durableTasks()) {
                beanFactory
                        .getBean(ConfigurableEnvironment.class)
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                AutoConfigureVirtualTime.class.getName(),
                                Map.of("wheel.scheduler.durable.enabled", "false")));
            }
        };
    }

    @Bean
    VirtualTime virtualTime(ObjectProvider<Settings> ofTest) {
        Settings settings = settings(ofTest);
        return settings == null ? VirtualTime.create() : settings.newTime();
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

    /**
     * Lets schedulers live in virtual time, and puts its clock in the place of each other clock, with any qualifier.
     */
    private record Driver(BeanFactory beanFactory) implements BeanPostProcessor {

        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
            // A mock has no clock, no wheel and no tasks.
            if (bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler)) {
                // Its method may have initialized it, which happens again after this.
                beanFactory.getBean(VirtualTime.class).driveOnce(scheduler);
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
