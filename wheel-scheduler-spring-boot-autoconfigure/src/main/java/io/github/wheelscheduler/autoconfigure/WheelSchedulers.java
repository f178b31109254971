package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** All schedulers on the wheel that an application has: those that are beans, and those of a {@link TimerWheel} with its own. */
public final class WheelSchedulers {

    private WheelSchedulers() {}

    /** Returns the schedulers that are there, by name, also those of parent contexts; no wheel is made for the sake of this. Mocks are left out. */
    public static Map<String, WheelTaskScheduler> in(ListableBeanFactory beanFactory) {
        Map<String, WheelTaskScheduler> all = new LinkedHashMap<>(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beanFactory, WheelTaskScheduler.class, false, false));
        BeanFactory next = beanFactory;
        while (next != null) {
            if (next instanceof ConfigurableListableBeanFactory listable) {
                ownOf(listable).forEach(all::putIfAbsent);
            }
            next = next instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
        }
        all.values().removeIf(scheduler -> !WheelTaskScheduler.isReal(scheduler));
        return all;
    }

    /** Returns those of wheels with a scheduler of their own that have been made in this context. */
    static Map<String, WheelTaskScheduler> ownOf(ConfigurableListableBeanFactory beanFactory) {
        Map<String, WheelTaskScheduler> own = new LinkedHashMap<>();
        for (String name : beanFactory.getBeanNamesForType(TimerWheel.class, false, false)) {
            OwnTimerWheel wheel =
                    beanFactory.containsSingleton(name) ? OwnTimerWheel.behind(beanFactory.getBean(name)) : null;
            if (wheel != null) {
                own.putAll(wheel.schedulers());
            }
        }
        return own;
    }
}
