package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

/**
 * Logs once why nothing runs on the wheel although it is on the class path, unless it was turned off; and which property to set
 * instead of one that does not exist, though many set it.
 */
final class WhyNotTheWheel implements SmartInitializingSingleton {

    private static final Log logger = LogFactory.getLog(WhyNotTheWheel.class);

    private static final String MADE_UP = "spring.task.scheduling.enabled";

    private final ConfigurableListableBeanFactory beanFactory;
    private final Environment environment;

    WhyNotTheWheel(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean enabled = environment.getProperty(WheelSchedulerProperties.PREFIX + ".enabled", Boolean.class, true);
        if (enabled
                && beanFactory.getBeanNamesForType(WheelTaskScheduler.class, true, false).length == 0
                && WheelSchedulers.ownOf(beanFactory).isEmpty()) {
            logger.info("The wheel scheduler is not used, because " + reason());
        }
        if (environment.containsProperty(MADE_UP)) {
            logger.warn(MADE_UP + " has no effect, as Spring Boot has no such property. "
                    + WheelSchedulerProperties.PREFIX + ".mode=off keeps what is scheduled from running");
        }
    }

    private String reason() {
        if (!beanFactory.containsBean(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME)) {
            return "@EnableScheduling is missing";
        }
        Set<String> schedulers = WheelSchedulers.names(beanFactory, (context, name) -> true, TaskScheduler.class);
        return "the application, or a library, has brought a scheduler of its own: " + schedulers;
    }
}
