package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.task.SimpleAsyncTaskSchedulerBuilder;
import org.springframework.boot.task.SimpleAsyncTaskSchedulerCustomizer;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;

/**
 * Applies to the wheel what Boot applies to its own scheduler, except that one worker is no default: of Boot's
 * properties, only a property that was written is a limit.
 */
final class SchedulerSetup {

    private static final Log logger = LogFactory.getLog(SchedulerSetup.class);

    private static final String POOL_SIZE = "spring.task.scheduling.pool.size";
    private static final String CONCURRENCY_LIMIT = "spring.task.scheduling.simple.concurrency-limit";
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final ConfigurableListableBeanFactory beanFactory;
    private final Environment environment;

    SchedulerSetup(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    /**
     * Applies the kind of threads, and all that the builder holds.
     *
     * @param maxSize the limit of workers if not null; it wins over any other
     */
    void apply(ThreadPoolTaskSchedulerBuilder builder, @Nullable Integer maxSize, WheelTaskScheduler scheduler) {
        boolean virtualThreads = Threading.VIRTUAL.isActive(environment);
        if (virtualThreads) {
            scheduler.setVirtualThreads(true);
            warnOfBeansWithoutEffect();
        }
        ThreadPoolTaskSchedulerBuilder limited = builder;
        if (maxSize != null) {
            limited = builder.poolSize(maxSize);
        } else if (userDefined(ThreadPoolTaskSchedulerBuilder.class).isEmpty()) {
            limited = builder.poolSize(virtualThreads ? concurrencyLimit() : poolSize(scheduler.getPoolSize()));
        }
        limited.configure(scheduler);
    }

    private int poolSize(int defaultSize) {
        Integer size = written(POOL_SIZE);
        UnusableSettingException.unless(size == null || size >= 1, POOL_SIZE, size, "must be at least 1", "16");
        return size == null ? defaultSize : size;
    }

    private int concurrencyLimit() {
        Integer limit = written(CONCURRENCY_LIMIT);
        UnusableSettingException.unless(
                limit == null || limit != 0, CONCURRENCY_LIMIT, limit, "must be at least 1, or -1 for no limit", "16");
        return limit == null || limit < 0 ? UNLIMITED : limit;
    }

    private @Nullable Integer written(String property) {
        return Binder.get(environment).bind(property, Integer.class).orElse(null);
    }

    private void warnOfBeansWithoutEffect() {
        warnOfBeansWithoutEffect(SimpleAsyncTaskSchedulerCustomizer.class);
        warnOfBeansWithoutEffect(SimpleAsyncTaskSchedulerBuilder.class);
    }

    private void warnOfBeansWithoutEffect(Class<?> type) {
        List<String> names = userDefined(type);
        if (!names.isEmpty()) {
            logger.warn(type.getSimpleName() + " has no effect on the wheel scheduler, not even with virtual threads: "
                    + names + ". Use a ThreadPoolTaskSchedulerCustomizer or a WheelSchedulerCustomizer instead.");
        }
    }

    private List<String> userDefined(Class<?> type) {
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false))
                .filter(name -> !isBoots(name))
                .toList();
    }

    /**
     * Returns whether a scheduler of the application, or of a parent context, may turn out to be one on the wheel;
     * Boot's is none.
     */
    static boolean mayHaveOwnWheel(ConfigurableListableBeanFactory beanFactory) {
        return !WheelSchedulers.names(
                        beanFactory,
                        (context, name) ->
                                WheelSchedulers.mayBeOne(context.getType(name, false)) && !isBoots(context, name),
                        TaskScheduler.class)
                .isEmpty();
    }

    private boolean isBoots(String beanName) {
        return isBoots(beanFactory, beanName);
    }

    /** Boot's auto-configuration is nearer to the truth than the name of the bean, and also known in an AOT context. */
    private static boolean isBoots(ConfigurableListableBeanFactory beanFactory, String beanName) {
        try {
            return beanFactory.getMergedBeanDefinition(beanName) instanceof RootBeanDefinition definition
                    && isBoots(definition.getResolvedFactoryMethod());
        } catch (NoSuchBeanDefinitionException ex) {
            return false; // an instance that was registered
        }
    }

    private static boolean isBoots(@Nullable Method factoryMethod) {
        return factoryMethod != null
                && factoryMethod
                        .getDeclaringClass()
                        .getPackageName()
                        .equals(TaskSchedulingAutoConfiguration.class.getPackageName());
    }
}
