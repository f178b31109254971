package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.scheduling.TaskScheduler;

/**
 * Matches if a bean is declared as a {@link WheelTaskScheduler}, or as something that may turn out to be one, such as a
 * {@link TaskScheduler} of the application's, or may have one, a {@link TimerWheel}; in parent contexts, too.
 */
public final class OnPossibleWheelSchedulerCondition extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Wheel scheduler, or what may be one");
        Set<String> found = new LinkedHashSet<>();
        BeanFactory beanFactory = context.getBeanFactory();
        while (beanFactory instanceof ConfigurableListableBeanFactory listable) {
            for (String name : listable.getBeanNamesForType(TaskScheduler.class, true, false)) {
                if (mayBeOne(listable.getType(name, false)) && !FrameworkSchedulers.contains(listable, name)) {
                    found.add(name);
                }
            }
            found.addAll(List.of(listable.getBeanNamesForType(TimerWheel.class, true, false)));
            beanFactory = listable.getParentBeanFactory();
        }
        return found.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("any").atAll())
                : ConditionOutcome.match(message.found("bean", "beans").items(found));
    }

    /** Whether what is declared so may turn out to be a scheduler on the wheel. */
    static boolean mayBeOne(@Nullable Class<?> declared) {
        return declared != null
                && (declared.isAssignableFrom(WheelTaskScheduler.class)
                        || WheelTaskScheduler.class.isAssignableFrom(declared));
    }
}
