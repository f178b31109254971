package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Finds the schedulers of an application. Before creation, it finds the names of beans that are or may be schedulers.
 * After creation, it finds the schedulers on the wheel, which are beans or belong to a {@link TimerWheel} with its own.
 * Mocks are none.
 */
public final class WheelSchedulers {

    /** The maximum number of names in a sentence. */
    private static final int MOST_NAMED = 10;

    private WheelSchedulers() {}

    /**
     * Returns why no {@code @Scheduled} method runs on the wheel, as the log has it; null if methods do, or if the
     * application has not started.
     */
    public static @Nullable String whyNone(ListableBeanFactory beanFactory) {
        BeanFactory next = beanFactory;
        while (next instanceof ConfigurableListableBeanFactory context) {
            for (String name : context.getBeanNamesForType(WhereScheduledRuns.class, false, false)) {
                WhereScheduledRuns line = context.getBean(name, WhereScheduledRuns.class);
                if (line.hasSpoken()) {
                    return line.whyNone();
                }
            }
            next = context.getParentBeanFactory();
        }
        return null;
    }

    /** Returns the schedulers that have been made, by name, also those of parent contexts. */
    public static Map<String, WheelTaskScheduler> in(ListableBeanFactory beanFactory) {
        Map<String, WheelTaskScheduler> all = real(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beanFactory, WheelTaskScheduler.class, false, false));
        BeanFactory next = beanFactory;
        while (next != null) {
            if (next instanceof ConfigurableListableBeanFactory context) {
                ownOf(context).forEach(all::putIfAbsent);
            }
            next = next instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
        }
        return all;
    }

    /** Returns the schedulers behind proxies, without mocks. */
    private static Map<String, WheelTaskScheduler> real(Map<String, WheelTaskScheduler> beans) {
        Map<String, WheelTaskScheduler> real = new LinkedHashMap<>();
        for (Map.Entry<String, WheelTaskScheduler> bean : beans.entrySet()) {
            WheelTaskScheduler scheduler = onTheWheel(bean.getValue());
            if (scheduler != null) {
                WheelTaskScheduler ignored = real.put(bean.getKey(), scheduler);
            }
        }
        return real;
    }

    /** Returns the schedulers of this context that have been made, by name. */
    static Map<String, WheelTaskScheduler> of(ConfigurableListableBeanFactory beanFactory) {
        Map<String, WheelTaskScheduler> all = real(beanFactory.getBeansOfType(WheelTaskScheduler.class, false, false));
        ownOf(beanFactory).forEach(all::putIfAbsent);
        return all;
    }

    /** Returns the schedulers of the wheels with a scheduler of their own that have been made in this context. */
    static Map<String, WheelTaskScheduler> ownOf(ConfigurableListableBeanFactory beanFactory) {
        Map<String, WheelTaskScheduler> own = new LinkedHashMap<>();
        for (String name : beanFactory.getBeanNamesForType(TimerWheel.class, false, false)) {
            if (beanFactory.containsSingleton(name)
                    && unproxied(beanFactory.getBean(name)) instanceof OwnTimerWheel wheel) {
                own.putAll(wheel.schedulers());
            }
        }
        return own;
    }

    /**
     * Returns the scheduler whose wheel the application shares, which is made for it; null if there is none, or none of
     * several.
     */
    static @Nullable WheelTaskScheduler main(ConfigurableListableBeanFactory beanFactory) {
        String usual = TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME;
        WheelTaskScheduler main = beanFactory.containsBean(usual) ? onTheWheel(beanFactory.getBean(usual)) : null;
        if (main != null) {
            return main;
        }
        List<WheelTaskScheduler> found = new ArrayList<>();
        for (String name :
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, TaskScheduler.class, false, true)) {
            WheelTaskScheduler scheduler =
                    mayBeOne(beanFactory.getType(name, false)) ? onTheWheel(beanFactory.getBean(name)) : null;
            if (scheduler != null) {
                found.add(scheduler);
            }
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        return onTheWheel(beanFactory.getBeanProvider(WheelTaskScheduler.class).getIfUnique());
    }

    /** Returns the scheduler on the wheel that a bean is, or is a proxy of; null if it is none, or a mock. */
    static @Nullable WheelTaskScheduler onTheWheel(@Nullable Object bean) {
        return bean != null
                        && unproxied(bean) instanceof WheelTaskScheduler scheduler
                        && WheelTaskScheduler.isReal(scheduler)
                ? scheduler
                : null;
    }

    /**
     * Returns the names of all beans of some types that are wanted, of parent contexts, too, except {@link
     * FrameworkSchedulers}.
     */
    static Set<String> names(
            @Nullable BeanFactory beanFactory,
            BiPredicate<ConfigurableListableBeanFactory, String> wanted,
            Class<?>... types) {
        Set<String> found = new LinkedHashSet<>();
        BeanFactory next = beanFactory;
        while (next instanceof ConfigurableListableBeanFactory context) {
            for (Class<?> type : types) {
                for (String name : context.getBeanNamesForType(type, true, false)) {
                    if (wanted.test(context, name) && !FrameworkSchedulers.contains(context, name)) {
                        found.add(name);
                    }
                }
            }
            next = context.getParentBeanFactory();
        }
        return found;
    }

    /** Returns these names, quoted, at most ten of them. */
    static String textOf(Collection<String> names) {
        String text =
                names.stream().limit(MOST_NAMED).map(name -> "'" + name + "'").collect(Collectors.joining(", "));
        return names.size() <= MOST_NAMED ? text : text + " and " + (names.size() - MOST_NAMED) + " more";
    }

    /** Returns whether a declared type may turn out to be a scheduler on the wheel. */
    static boolean mayBeOne(@Nullable Class<?> declared) {
        return declared != null
                && (declared.isAssignableFrom(WheelTaskScheduler.class)
                        || WheelTaskScheduler.class.isAssignableFrom(declared));
    }

    /** Returns the target behind all proxies of a singleton. */
    static Object unproxied(Object bean) {
        Object target = bean;
        while (target instanceof Advised && AopProxyUtils.getSingletonTarget(target) != null) {
            target = Objects.requireNonNull(AopProxyUtils.getSingletonTarget(target));
        }
        return target;
    }
}
