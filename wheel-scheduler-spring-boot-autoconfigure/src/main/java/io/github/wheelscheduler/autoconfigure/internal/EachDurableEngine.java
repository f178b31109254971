package io.github.wheelscheduler.autoconfigure.internal;

import io.github.wheelscheduler.durable.DurableEngine;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Does something once for each node of durable tasks, before it is started by its lifecycle: also for one that a
 * factory bean makes, or that was made before this.
 */
public abstract class EachDurableEngine implements BeanPostProcessor, SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;
    /** The engines that the application still holds. */
    private final Set<DurableEngine> known =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    protected EachDurableEngine(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Does it. */
    protected abstract void come(DurableEngine engine, String beanName);

    @Override
    public final @Nullable Object postProcessBeforeInitialization(Object bean, String beanName) {
        return seen(bean, beanName);
    }

    /** The product of a factory bean comes here alone. */
    @Override
    public final @Nullable Object postProcessAfterInitialization(Object bean, String beanName) {
        return seen(bean, beanName);
    }

    private Object seen(Object bean, String beanName) {
        if (bean instanceof DurableEngine engine && known.add(engine)) {
            come(engine, beanName);
        }
        return bean;
    }

    @Override
    public final void afterSingletonsInstantiated() {
        for (String name : beanFactory.getBeanNamesForType(DurableEngine.class, false, false)) {
            if (beanFactory.containsSingleton(name)) {
                Object ignored = seen(beanFactory.getBean(name), name);
            }
        }
    }
}
