package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Matches unless the application, or a library on its behalf, has defined a scheduler. It counts the beans that make
 * Boot's own scheduler back off, in parent contexts too, except {@link FrameworkSchedulers}. It also matches beside
 * several wheel schedulers of which Spring would take none for {@code @Scheduled} methods, but a single thread of its
 * own.
 */
final class OnNoUserSchedulerCondition extends SpringBootCondition implements ConfigurationCondition {

    private static final String USUAL = TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME;

    static final String NO_SCHEDULER = "the application has no scheduler of its own";
    static final String NAME_IS_TAKEN = "another bean has the name '" + USUAL + "'";

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return outcome(context.getBeanFactory());
    }

    /**
     * Returns the outcome for the beans that are declared by now, with the reason that {@link WhereScheduledRuns} logs.
     */
    static ConditionOutcome outcome(@Nullable ConfigurableListableBeanFactory beanFactory) {
        Set<String> found = WheelSchedulers.names(
                beanFactory,
                OnNoUserSchedulerCondition::isCandidate,
                TaskScheduler.class,
                ScheduledExecutorService.class);
        boolean nameIsTaken = isNameTaken(beanFactory);
        if (!nameIsTaken && isUndecided(beanFactory, found)) {
            return ConditionOutcome.match(
                    "none of the wheel schedulers " + WheelSchedulers.textOf(found) + " is primary");
        }
        if (!found.isEmpty()) {
            return ConditionOutcome.noMatch("the application has "
                    + (found.size() == 1 ? "the scheduler " : "the schedulers ") + WheelSchedulers.textOf(found));
        }
        return nameIsTaken ? ConditionOutcome.noMatch(NAME_IS_TAKEN) : ConditionOutcome.match(NO_SCHEDULER);
    }

    /**
     * Whether there are several wheel schedulers, none of which Spring would take by itself. Spring looks for one in
     * the nearest context that has a {@link TaskScheduler}.
     */
    private static boolean isUndecided(@Nullable ConfigurableListableBeanFactory beanFactory, Set<String> found) {
        BeanFactory next = found.contains(USUAL) ? null : beanFactory;
        while (next instanceof ConfigurableListableBeanFactory context) {
            List<String> here = found.stream()
                    .filter(name -> context.containsLocalBean(name) && mayBeScheduler(context.getType(name, false)))
                    .toList();
            if (!here.isEmpty()) {
                return isUndecided(context, here);
            }
            next = context.getParentBeanFactory();
        }
        return false;
    }

    private static boolean mayBeScheduler(@Nullable Class<?> type) {
        return type == null || TaskScheduler.class.isAssignableFrom(type);
    }

    private static boolean isUndecided(ConfigurableListableBeanFactory beanFactory, List<String> found) {
        int wheels = 0;
        for (String name : found) {
            BeanDefinition definition = definitionOf(beanFactory, name);
            if (definition != null && definition.isPrimary()) {
                return false;
            }
            Class<?> type = beanFactory.getType(name, false);
            boolean isWheel = type != null && WheelTaskScheduler.class.isAssignableFrom(type);
            wheels += isWheel && (definition == null || !definition.isFallback()) ? 1 : 0;
        }
        return wheels > 1;
    }

    /** Whether a bean here has our name already: ours could not be registered beside it. */
    private static boolean isNameTaken(@Nullable ConfigurableListableBeanFactory beanFactory) {
        return beanFactory != null && beanFactory.containsLocalBean(USUAL);
    }

    /** Returns whether the bean is injected by its type. As in Boot's own conditions, others do not count. */
    static boolean isCandidate(ConfigurableListableBeanFactory beanFactory, String name) {
        BeanDefinition definition = definitionOf(beanFactory, name);
        if (ScopedProxyUtils.isScopedTarget(name)) {
            definition = definitionOf(beanFactory, ScopedProxyUtils.getOriginalBeanName(name));
        }
        return definition == null || (definition.isAutowireCandidate() && isDefaultCandidate(definition));
    }

    /** Returns whether the bean is injected where nothing but its type is asked for. */
    static boolean isDefaultCandidate(BeanDefinition definition) {
        return !(definition instanceof AbstractBeanDefinition detailed) || detailed.isDefaultCandidate();
    }

    private static @Nullable BeanDefinition definitionOf(ConfigurableListableBeanFactory beanFactory, String name) {
        return beanFactory.containsBeanDefinition(name) ? beanFactory.getBeanDefinition(name) : null;
    }
}
