package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.DisabledCron;
import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Stops the start for methods that nothing in this context takes for an engine: handlers would never run, and Spring
 * would run schedules on every node.
 */
final class UntakenDurableMethods implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;

    UntakenDurableMethods(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean takesHandlers = has(DurableHandlerMethods.class);
        boolean takesSchedules = has(DurableSchedules.class);
        if (takesHandlers && takesSchedules) {
            return;
        }
        for (String name : beanFactory.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : beanFactory.getType(name, false);
            if (type != null && AnnotationUtils.isCandidateClass(type, List.of(DurableHandler.class, Durable.class))) {
                Class<?> usersType = DurableHandlerMethods.userClassOf(beanFactory, name, type);
                if (!takesHandlers) {
                    refuse(DurableHandlerMethods.methodsOf(usersType).keySet(), DurableHandler.class);
                }
                if (!takesSchedules) {
                    refuse(schedulesOf(usersType), Durable.class);
                }
            }
        }
    }

    private boolean has(Class<?> type) {
        return beanFactory.getBeanNamesForType(type, true, false).length > 0;
    }

    private List<Method> schedulesOf(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Durable>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, Durable.class))
                .keySet()
                .stream()
                .filter(method -> !DisabledCron.isOnly(method, beanFactory))
                .toList();
    }

    private static void refuse(Collection<Method> methods, Class<? extends Annotation> annotation) {
        if (!methods.isEmpty()) {
            throw new UnusableSetupException(
                    "A method with @" + annotation.getSimpleName()
                            + " must be in the context of the auto-configured DurableEngine, but is not: "
                            + methods.iterator().next(),
                    "Move its bean into the context that has this engine. If the application defines another "
                            + "DurableEngine, declare that with @Bean(defaultCandidate = false), so that it does not "
                            + "replace the auto-configured one; or schedule by that engine in code.");
        }
    }
}
