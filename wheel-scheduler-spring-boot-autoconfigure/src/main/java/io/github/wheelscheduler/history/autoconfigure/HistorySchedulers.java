package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;

/**
 * Lets every wheel scheduler write its runs into the history. It waits for schedulers and asks for none. Schedulers
 * that come before the history, whose writer runs on one of them, wait until all beans are there; later ones are bound
 * at once. All schedulers are destroyed before the history, so that the runs that end meanwhile are in it, except ones
 * that a database needs.
 */
final class HistorySchedulers implements BeanPostProcessor, SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<HistoryEngine> history;
    private final ObjectProvider<MissedAtStart> missed;

    // Guarded by this; null when all beans are there.

    private @Nullable List<WheelTaskScheduler> waiting = new ArrayList<>();

    /** The names of beans that are destroyed before the history. */
    private @Nullable List<String> ending = new ArrayList<>();

    HistorySchedulers(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<HistoryEngine> history,
            ObjectProvider<MissedAtStart> missed) {
        this.beanFactory = beanFactory;
        this.history = history;
        this.missed = missed;
    }

    @Override
    public @Nullable Object postProcessBeforeInitialization(Object bean, String beanName) {
        boolean isScheduler = bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler);
        if ((isScheduler || bean instanceof TimerWheel) && !ends(beanName)) {
            destroyBefore(beanFactory, beanName);
        }
        if (isScheduler && !waits((WheelTaskScheduler) bean)) {
            bind((WheelTaskScheduler) bean);
        }
        return bean;
    }

    /**
     * Lets a bean be destroyed before the history, whose bean may be a user's. A database that needs the bean would be
     * destroyed with it, and would not take the last rows.
     */
    static void destroyBefore(ConfigurableListableBeanFactory beanFactory, String beanName) {
        if (beanFactory instanceof DefaultSingletonBeanRegistry beans
                && !isNeededByADatabase(beanFactory, beanName, new HashSet<>())) {
            for (String history : beanFactory.getBeanNamesForType(HistoryEngine.class, true, false)) {
                beans.registerDependentBean(history, beanName);
            }
        }
    }

    private static boolean isNeededByADatabase(
            ConfigurableListableBeanFactory beanFactory, String beanName, Set<String> seen) {
        for (String dependent : beanFactory.getDependentBeans(beanName)) {
            if (seen.add(dependent)
                    && ((beanFactory.containsBean(dependent) && beanFactory.isTypeMatch(dependent, DataSource.class))
                            || isNeededByADatabase(beanFactory, dependent, seen))) {
                return true;
            }
        }
        return false;
    }

    private synchronized boolean ends(String beanName) {
        return ending != null && ending.add(beanName);
    }

    private synchronized boolean waits(WheelTaskScheduler scheduler) {
        return waiting != null && waiting.add(scheduler);
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<WheelTaskScheduler> came;
        List<String> names;
        synchronized (this) {
            came = waiting == null ? List.of() : waiting;
            waiting = null;
            names = ending == null ? List.of() : ending;
            ending = null;
        }
        // By now it is known which beans need them.
        names.forEach(name -> destroyBefore(beanFactory, name));
        came.forEach(this::bind);
    }

    private void bind(WheelTaskScheduler scheduler) {
        String name = Objects.requireNonNullElseGet(scheduler.getBeanName(), scheduler::getThreadNamePrefix);
        HistoryEngine engine = history.getObject();
        TaskRegistry tasks = scheduler.getTaskRegistry();
        tasks.addListener(engine.listener(name));
        tasks.addOneTimeRunListener(engine.oneTimeListener(name));
        tasks.addListener(new HistoryMemory(scheduler, name, engine, missed.getObject()));
    }
}
