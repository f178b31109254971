package io.github.wheelscheduler.autoconfigure;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.ManagedMap;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.type.MethodMetadata;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * The schedulers that a Spring framework registers for its own use, as the WebSocket message broker does for its
 * heartbeats. They do not keep the wheel away, and the wheel takes nothing from them:
 *
 * <ul>
 *   <li>They become fallbacks, so that an application which injects a plain {@link TaskScheduler} gets the wheel, and not
 *       an error because there are two.
 *   <li>The message channels of WebSocket go on running where they ran. Boot puts them on the only {@link AsyncTaskExecutor}
 *       there is, which must not be the wheel just because every {@code ThreadPoolTaskScheduler} is one.
 * </ul>
 */
final class FrameworkSchedulers implements BeanFactoryPostProcessor {

    private static final String SPRING = "org.springframework.";

    /** For applications that override the method of the framework in order to set the scheduler up. */
    private static final Set<String> NAMES = Set.of("messageBrokerTaskScheduler", "defaultSockJsTaskScheduler");

    private static final String WHEEL = TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME;
    private static final String BOOTS_BROKER_CONFIGURER = "springBootWebSocketMessageBrokerConfigurer";

    FrameworkSchedulers() {}

    /** Returns whether the bean of that name, a scheduler, is one of these. */
    static boolean contains(ConfigurableListableBeanFactory beanFactory, String name) {
        if (!beanFactory.containsBeanDefinition(name)) {
            return false;
        }
        BeanDefinition definition = beanFactory.getBeanDefinition(name);
        if (definition instanceof AnnotatedBeanDefinition annotated) {
            return NAMES.contains(name) || isSprings(annotated.getFactoryMethodMetadata(), beanFactory);
        }
        // what an XML namespace of a framework adds
        return definition.getRole() == BeanDefinition.ROLE_INFRASTRUCTURE;
    }

    private static boolean isSprings(
            @Nullable MethodMetadata factoryMethod, ConfigurableListableBeanFactory beanFactory) {
        return factoryMethod != null
                && factoryMethod.getDeclaringClassName().startsWith(SPRING)
                && !isOfApplication(factoryMethod.getDeclaringClassName(), beanFactory);
    }

    /** An application may be in a package of Spring's, as the samples of Spring are: what is below its own packages is its own. */
    private static boolean isOfApplication(String className, ConfigurableListableBeanFactory beanFactory) {
        return AutoConfigurationPackages.has(beanFactory)
                && AutoConfigurationPackages.get(beanFactory).stream()
                        .anyMatch(name -> className.startsWith(name + "."));
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        for (String name : beanFactory.getBeanNamesForType(TaskScheduler.class, true, false)) {
            if (contains(beanFactory, name)) {
                beanFactory.getBeanDefinition(name).setFallback(true);
            }
        }
        if (beanFactory.containsBeanDefinition(BOOTS_BROKER_CONFIGURER)) {
            hideWheelFrom(beanFactory.getBeanDefinition(BOOTS_BROKER_CONFIGURER), beanFactory);
        }
    }

    /** Gives the configurer explicitly what would be injected, all executors by name, but without the wheel. */
    private static void hideWheelFrom(BeanDefinition configurer, ConfigurableListableBeanFactory beanFactory) {
        Map<String, RuntimeBeanReference> executors = new ManagedMap<>();
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beanFactory, AsyncTaskExecutor.class, true, false)) {
            if (!name.equals(WHEEL) && OnNoUserSchedulerCondition.isCandidate(beanFactory, name)) {
                executors.put(name, new RuntimeBeanReference(name));
            }
        }
        configurer.getConstructorArgumentValues().addIndexedArgumentValue(0, executors);
    }
}
