package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.scheduling.TaskScheduler;

/**
 * Matches if a bean is declared as a {@link WheelTaskScheduler}, or as a type that may be or have one. Examples are a
 * {@link TaskScheduler} of the application and a {@link TimerWheel}. Includes parent contexts.
 */
public final class OnPossibleWheelSchedulerCondition extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Wheel scheduler, or what may be one");
        Set<String> found = candidates(context.getBeanFactory());
        return found.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("any").atAll())
                : ConditionOutcome.match(message.found("bean", "beans").items(found));
    }

    /** Whether it matches for the beans that are declared by now. */
    public static boolean isMet(BeanFactory beanFactory) {
        return !candidates(beanFactory).isEmpty();
    }

    private static Set<String> candidates(@Nullable BeanFactory beanFactory) {
        return WheelSchedulers.names(
                beanFactory,
                (context, name) -> isPossible(context.getType(name, false)),
                TaskScheduler.class,
                TimerWheel.class);
    }

    private static boolean isPossible(@Nullable Class<?> declared) {
        return WheelSchedulers.mayBeOne(declared) || (declared != null && TimerWheel.class.isAssignableFrom(declared));
    }
}
