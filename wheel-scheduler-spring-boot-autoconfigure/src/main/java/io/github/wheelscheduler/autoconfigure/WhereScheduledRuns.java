package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Says once in the log where {@code @Scheduled} methods run and why, if there is a wheel scheduler, and else why there is none. Spring calls it
 * before it schedules them, after all other configurers; it changes nothing, and looks at definitions only, so that no scheduler is created for
 * its sake.
 */
final class WhereScheduledRuns implements SchedulingConfigurer, SmartInitializingSingleton {

    private static final Log logger = LogFactory.getLog(WhereScheduledRuns.class);

    private static final String USUAL = TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME;
    private static final String MADE_UP = "spring.task.scheduling.enabled";
    private static final String METHODS = "@Scheduled methods run on ";

    /** So many names are in the line at most. */
    private static final int MOST_NAMED = 10;

    private final ConfigurableListableBeanFactory beanFactory;
    private final Environment environment;

    WhereScheduledRuns(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    @Override
    public void configureTasks(ScheduledTaskRegistrar registrar) {
        if (beanFactory.getBeanNamesForType(WheelTaskScheduler.class, true, false).length == 0) {
            return;
        }
        TaskScheduler set = registrar.getScheduler();
        if (set != null && !(set instanceof TaskSchedulerRouter)) {
            logger.info(METHODS + "what a SchedulingConfigurer has set, a "
                    + set.getClass().getSimpleName());
            return;
        }
        List<String> names = Arrays.stream(beanFactory.getBeanNamesForType(TaskScheduler.class, true, false))
                .filter(name -> isTrueOf(name, BeanDefinition::isAutowireCandidate, true))
                .toList();
        say(names);
    }

    /** Goes through the definitions as Spring does it. */
    private void say(List<String> names) {
        if (names.size() == 1) {
            say(names.get(0), "it is the only one");
            return;
        }
        String primary = onlyOne(names, name -> isTrueOf(name, BeanDefinition::isPrimary, false));
        String usual = onlyOne(names, name -> !isTrueOf(name, BeanDefinition::isFallback, false));
        String candidate = onlyOne(names, name -> isTrueOf(name, OnNoUserSchedulerCondition::isDefaultCandidate, true));
        if (primary != null) {
            say(primary, "it is primary");
        } else if (usual != null) {
            say(usual, "the others, " + without(usual, names) + ", are fallbacks");
        } else if (candidate != null) {
            say(candidate, "the others, " + without(candidate, names) + ", are no default candidates");
        } else if (beanFactory.containsBean(USUAL) && beanFactory.isTypeMatch(USUAL, TaskScheduler.class)) {
            say(
                    USUAL,
                    "none of the others, " + without(USUAL, names)
                            + ", is primary, and it has the name that Spring looks for");
        } else {
            logger.warn(METHODS + "one thread of Spring's own, because none of " + textOf(names)
                    + " is primary or has the name " + USUAL + ". Make one @Primary, or declare them as "
                    + WheelTaskScheduler.class.getSimpleName() + ", so that a scheduler of that name is added");
        }
    }

    private void say(String name, String reason) {
        logger.info(METHODS + "the scheduler '" + name + "', because " + reason
                + (hasOneWorkerOfBoots(name)
                        ? ". It has one worker, as Boot's ThreadPoolTaskSchedulerBuilder gives it unless"
                                + " spring.task.scheduling.pool.size says more: set that, or make it with a "
                                + WheelTaskSchedulerBuilder.class.getSimpleName()
                        : ""));
    }

    private boolean hasOneWorkerOfBoots(String name) {
        return beanFactory.containsSingleton(name)
                && beanFactory.getBean(name) instanceof WheelTaskScheduler scheduler
                && WheelTaskScheduler.isReal(scheduler)
                && scheduler.isInitialized()
                && scheduler.getWheelScheduledExecutor().maxWorkers() == 1
                && !isWritten("spring.task.scheduling.pool.size")
                && !isWritten(WheelSchedulerProperties.PREFIX + ".worker.max-size");
    }

    private boolean isWritten(String property) {
        return Binder.get(environment).bind(property, String.class).isBound();
    }

    private static String without(String name, List<String> names) {
        return textOf(names.stream().filter(other -> !other.equals(name)).toList());
    }

    private static String textOf(List<String> names) {
        int more = names.size() - MOST_NAMED;
        return more <= 0 ? names.toString() : names.subList(0, MOST_NAMED) + " and " + more + " more";
    }

    private static @Nullable String onlyOne(List<String> names, Predicate<String> wanted) {
        List<String> found = names.stream().filter(wanted).toList();
        return found.size() == 1 ? found.get(0) : null;
    }

    private boolean isTrueOf(String name, Predicate<BeanDefinition> wanted, boolean withoutDefinition) {
        return beanFactory.containsBeanDefinition(name)
                ? wanted.test(beanFactory.getMergedBeanDefinition(name))
                : withoutDefinition;
    }

    /** Says why nothing runs on the wheel, unless it was turned off; and what to set in place of a property that many set, and none has. */
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
