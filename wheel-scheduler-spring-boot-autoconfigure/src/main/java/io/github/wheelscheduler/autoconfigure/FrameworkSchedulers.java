package io.github.wheelscheduler.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.ManagedMap;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.type.MethodMetadata;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;
import org.springframework.util.ClassUtils;

/**
 * The schedulers that a Spring framework registers for its own use, as the WebSocket message broker does for its
 * heartbeats. They do not keep the wheel away, and the wheel takes nothing from them:
 *
 * <ul>
 *   <li>They become fallbacks, so that an application which injects a plain {@link TaskScheduler} gets the wheel, and
 *       not an error because there are two.
 *   <li>The message channels of WebSocket keep running where they ran. Boot puts them on the only {@link
 *       AsyncTaskExecutor} there is, which must not be the wheel just because every {@code ThreadPoolTaskScheduler} is
 *       one.
 * </ul>
 */
final class FrameworkSchedulers implements BeanFactoryPostProcessor {

    private static final String SPRING = "org.springframework.";
    private static final String WEB_SOCKET = "org.springframework.web.socket.";
    private static final String INTEGRATION = "DefaultConfiguringBeanFactoryPostProcessor";

    private static final String WHEEL = TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME;
    private static final String BOOTS_BROKER_CONFIGURER = "springBootWebSocketMessageBrokerConfigurer";

    FrameworkSchedulers() {}

    /** Returns whether the bean of that name, a scheduler, is one of these. All others are the application's. */
    static boolean contains(ConfigurableListableBeanFactory beanFactory, String name) {
        if (!beanFactory.containsBeanDefinition(name)) {
            return false;
        }
        BeanDefinition definition = beanFactory.getBeanDefinition(name);
        boolean isRegistered = switch (name) {
            case "messageBrokerScheduler", "SockJsScheduler" ->
                isRegistered(definition, name + "-", WEB_SOCKET, beanFactory);
            case WHEEL -> isRegistered(definition, "task-scheduler-", INTEGRATION, beanFactory);
            default -> false;
        };
        return isRegistered || isMadeByFramework(definition, beanFactory);
    }

    /**
     * Whether a framework has registered the scheduler by code. Its definition has the prefix of threads as a plain
     * string, which no definition from an application's XML has.
     *
     * @param companions beginning of the name of a bean that registers it, or is registered with it
     */
    private static boolean isRegistered(
            BeanDefinition definition, String prefix, String companions, ConfigurableListableBeanFactory beanFactory) {
        return definition.getFactoryMethodName() == null
                && prefix.equals(definition.getPropertyValues().get("threadNamePrefix"))
                && Arrays.stream(beanFactory.getBeanDefinitionNames()).anyMatch(name -> name.startsWith(companions));
    }

    private static boolean isMadeByFramework(BeanDefinition definition, ConfigurableListableBeanFactory beanFactory) {
        if (definition instanceof AnnotatedBeanDefinition annotated) {
            MethodMetadata factoryMethod = annotated.getFactoryMethodMetadata();
            return factoryMethod != null
                    && (isOfFramework(factoryMethod.getDeclaringClassName(), beanFactory)
                            || overridesFrameworks(factoryMethod.getMethodName(), definition, beanFactory));
        }
        Method factoryMethod = definition instanceof RootBeanDefinition ahead ? ahead.getResolvedFactoryMethod() : null;
        return factoryMethod != null
                && isOfFramework(factoryMethod.getDeclaringClass().getName(), beanFactory);
    }

    /** Whether a configuration of the application extends a framework's, and overrides its factory method. */
    private static boolean overridesFrameworks(
            String method, BeanDefinition definition, ConfigurableListableBeanFactory beanFactory) {
        String configuration = definition.getFactoryBeanName();
        Class<?> type = configuration == null ? null : beanFactory.getType(configuration, false);
        while (type != null) {
            if (isOfFramework(type.getName(), beanFactory) && ClassUtils.hasAtLeastOneMethodWithName(type, method)) {
                return true;
            }
            type = type.getSuperclass();
        }
        return false;
    }

    /**
     * Spring's samples are in packages of Spring's: classes in and below the packages of an application are its own.
     */
    private static boolean isOfFramework(String className, ConfigurableListableBeanFactory beanFactory) {
        return className.startsWith(SPRING)
                && !(AutoConfigurationPackages.has(beanFactory)
                        && AutoConfigurationPackages.get(beanFactory).stream()
                                .anyMatch(name -> className.startsWith(name + ".")));
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

    /** Passes the configurer the executors that would be injected, by name, but without the wheel. */
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
