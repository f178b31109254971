package io.github.wheelscheduler.history.autoconfigure;

import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if there is a {@link DataSource} that is injected by its type, or one with {@link HistoryDataSource}, which
 * {@link ConditionalOnBean} does not find where that is no default candidate.
 */
final class OnHistoryDatabaseCondition extends AnyNestedCondition {

    OnHistoryDatabaseCondition() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(DataSource.class)
    static final class OnAny {}

    @Conditional(OnMarked.class)
    static final class OnTheMarked {}

    /** Matches if a bean here or in a parent context is marked. */
    static final class OnMarked extends SpringBootCondition implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            ConditionMessage.Builder message = ConditionMessage.forCondition(HistoryDataSource.class);
            BeanFactory next = context.getBeanFactory();
            while (next instanceof ConfigurableListableBeanFactory beans) {
                for (String name : beans.getBeanNamesForType(DataSource.class, true, false)) {
                    if (beans.findAnnotationOnBean(name, HistoryDataSource.class, false) != null) {
                        return ConditionOutcome.match(message.found("bean").items(name));
                    }
                }
                next = beans.getParentBeanFactory();
            }
            return ConditionOutcome.noMatch(message.didNotFind("any bean").atAll());
        }
    }
}
