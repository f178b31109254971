package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.metrics.WheelSchedulerMetrics;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;

/**
 * Gives every {@link WheelTaskScheduler} its meters once it is there, and takes them away when it goes.
 *
 * <p>It waits for schedulers and asks for none, so that no scheduler is created early, or at all, for the sake of its meters.
 * Schedulers that are created while the context starts get their meters when all beans are there, because the registry might
 * depend on them; later ones at once.
 */
final class SchedulerMeterBinding implements DestructionAwareBeanPostProcessor, SmartInitializingSingleton {

    private static final Log logger = LogFactory.getLog(SchedulerMeterBinding.class);

    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<MeterRegistry> registries;
    private final ObjectProvider<WheelSchedulerMetricsProperties> properties;

    /** Schedulers that came before the registry, with their names. Guarded by this. */
    private final Map<WheelTaskScheduler, String> waiting = new LinkedHashMap<>();

    /** Guarded by this. */
    private final IdentityHashMap<WheelTaskScheduler, WheelSchedulerMetrics> bound = new IdentityHashMap<>();

    /** Guarded by this. */
    private boolean started;

    SchedulerMeterBinding(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<MeterRegistry> registries,
            ObjectProvider<WheelSchedulerMetricsProperties> properties) {
        this.beanFactory = beanFactory;
        this.registries = registries;
        this.properties = properties;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        // The proxy of a scope would create the scheduler when it is asked for anything.
        WheelTaskScheduler scheduler = bean instanceof ScopedObject ? null : behindProxies(bean);
        if (scheduler != null && isOneOfItsName(beanName) && isAutowireCandidate(beanName)) {
            bindInTime(scheduler, nameOf(beanName));
        }
        if (WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel wheel) {
            wheel.schedulers().forEach((name, own) -> bindInTime(own, name));
        }
        return bean;
    }

    private void bindInTime(WheelTaskScheduler scheduler, String name) {
        if (!waits(scheduler, name)) {
            bind(scheduler, name);
        }
    }

    /** Returns the scheduler that the bean is, or is a proxy of, unless it is a mock; it is destroyed without its proxies. */
    private static @Nullable WheelTaskScheduler behindProxies(Object bean) {
        return WheelSchedulers.onTheWheel(WheelSchedulers.unproxied(bean));
    }

    /** As with Boot's own meters of executors, others have none. */
    private boolean isAutowireCandidate(String beanName) {
        String name = nameOf(beanName);
        return !beanFactory.containsBeanDefinition(name)
                || beanFactory.getBeanDefinition(name).isAutowireCandidate();
    }

    private boolean isOneOfItsName(String beanName) {
        return beanFactory.containsBean(beanName) && !beanFactory.isPrototype(beanName);
    }

    private static String nameOf(String beanName) {
        return ScopedProxyUtils.isScopedTarget(beanName) ? ScopedProxyUtils.getOriginalBeanName(beanName) : beanName;
    }

    private synchronized boolean waits(WheelTaskScheduler scheduler, String name) {
        if (!started) {
            waiting.put(scheduler, name);
        }
        return !started;
    }

    @Override
    public void afterSingletonsInstantiated() {
        // Not under the lock: what this creates may be, or need, a scheduler. It then waits, too.
        MeterRegistry ignored = registries.getIfUnique();
        start().forEach(this::bind);
    }

    private synchronized Map<WheelTaskScheduler, String> start() {
        started = true;
        Map<WheelTaskScheduler, String> waited = new LinkedHashMap<>(waiting);
        waiting.clear();
        return waited;
    }

    private void bind(WheelTaskScheduler scheduler, String name) {
        MeterRegistry registry = registries.getIfUnique();
        if (registry == null) {
            logger.warn(
                    "Scheduler " + name + " has no meters, because no MeterRegistry is the only or the primary one");
            return;
        }
        WheelSchedulerMetricsProperties set = properties.getObject();
        WheelSchedulerMetrics metrics =
                new WheelSchedulerMetrics(scheduler, name, set.maxTasks(), set.tasks()::includes);
        try {
            metrics.bindTo(registry);
            keep(scheduler, metrics);
        } catch (RuntimeException ex) {
            logger.warn("Scheduler " + name + " has no meters, because they could not be registered", ex);
        }
    }

    private synchronized void keep(WheelTaskScheduler scheduler, WheelSchedulerMetrics metrics) {
        bound.put(scheduler, metrics);
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel || behindProxies(bean) != null;
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        if (WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel wheel) {
            wheel.schedulers().forEach((name, own) -> unbind(own, name));
        } else {
            unbind(behindProxies(bean), nameOf(beanName));
        }
    }

    private void unbind(@Nullable WheelTaskScheduler scheduler, String name) {
        WheelSchedulerMetrics metrics = scheduler != null ? forget(scheduler) : null;
        if (metrics == null) {
            return;
        }
        try {
            metrics.close();
        } catch (RuntimeException ex) {
            // An exception from here would keep the scheduler from being shut down.
            logger.warn("The meters of scheduler " + name + " could not be removed", ex);
        }
    }

    private synchronized @Nullable WheelSchedulerMetrics forget(WheelTaskScheduler scheduler) {
        String ignored = waiting.remove(scheduler);
        return bound.remove(scheduler);
    }
}
