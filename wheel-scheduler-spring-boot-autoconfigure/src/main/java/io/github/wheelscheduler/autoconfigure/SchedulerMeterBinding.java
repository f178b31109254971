package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.autoconfigure.ProgramTimers.Leases;
import io.github.wheelscheduler.autoconfigure.ProgramTimers.Timers;
import io.github.wheelscheduler.metrics.WheelSchedulerMetrics;
import io.github.wheelscheduler.metrics.timers.TimerMetrics;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;

/**
 * Gives every {@link WheelTaskScheduler}, and timers {@linkplain ProgramTimers for programs}, their meters once they
 * are there, and takes them away when they go. The description of schedulers here applies to those timers, too.
 *
 * <p>It waits for schedulers and asks for none, so that no scheduler is created early, or at all, for the sake of its
 * meters. Schedulers that are created while the context starts get their meters when all beans are there, because the
 * registry might depend on them; later ones at once.
 */
final class SchedulerMeterBinding implements DestructionAwareBeanPostProcessor, SmartInitializingSingleton {

    private static final Log logger = LogFactory.getLog(SchedulerMeterBinding.class);

    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<MeterRegistry> registries;
    private final ObjectProvider<WheelSchedulerMetricsProperties> properties;

    /** The meters of objects that came before the registry, in this order. Guarded by this. */
    private final List<BoundMeters> waiting = new ArrayList<>();

    /** The objects that have meters, get them, or wait for them. Guarded by this. */
    private final IdentityHashMap<Object, BoundMeters> bound = new IdentityHashMap<>();

    /** Guarded by this. */
    private boolean started;

    /** The meters of one bean. They are to stay as long as {@link #bound} has them. */
    private static final class BoundMeters {

        private final Object metered;

        /** That of the bean. */
        private final String name;

        /** Takes them away; null until they are there. Guarded by the lock of the map. */
        private @Nullable Runnable close;

        BoundMeters(Object metered, String name) {
            this.metered = metered;
            this.name = name;
        }
    }

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
        Object metered = bean instanceof ScopedObject ? null : behindProxies(bean);
        if (metered != null && isOneOfItsName(beanName) && isAutowireCandidate(beanName)) {
            if (beanFactory.isSingleton(beanName)) {
                // If another one failed to be created after this had seen it, its destruction is not reported.
                boundOf(nameOf(beanName)).forEach(former -> unbind(former, nameOf(beanName)));
            }
            bindInTime(metered, nameOf(beanName));
        }
        if (WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel wheel) {
            wheel.schedulers().forEach((name, own) -> bindInTime(own, name));
        }
        return bean;
    }

    private void bindInTime(Object metered, String name) {
        BoundMeters meters = new BoundMeters(metered, name);
        if (!waits(meters)) {
            bind(meters);
        }
    }

    /**
     * Returns what has meters and the bean is, or is a proxy of, unless it is a mock; it is destroyed without its
     * proxies.
     */
    private static @Nullable Object behindProxies(Object bean) {
        Object unproxied = WheelSchedulers.unproxied(bean);
        return ProgramTimers.are(unproxied) ? unproxied : WheelSchedulers.onTheWheel(unproxied);
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

    private synchronized boolean waits(BoundMeters meters) {
        bound.put(meters.metered, meters);
        if (!started) {
            waiting.add(meters);
        }
        return !started;
    }

    @Override
    public void afterSingletonsInstantiated() {
        // Not under the lock: what this creates may be, or need, a scheduler. It then waits, too.
        MeterRegistry ignored = registries.getIfUnique();
        start().forEach(this::bind);
    }

    private synchronized List<BoundMeters> start() {
        started = true;
        List<BoundMeters> waited = new ArrayList<>(waiting);
        waiting.clear();
        return waited;
    }

    private void bind(BoundMeters meters) {
        try {
            if (isStillThere(meters)) {
                register(meters);
            }
        } finally {
            forgetUnlessRegistered(meters);
        }
    }

    private void register(BoundMeters meters) {
        Object metered = meters.metered;
        String name = meters.name;
        MeterRegistry registry = registries.getIfUnique();
        if (registry == null) {
            logger.warn(textOf(metered, name) + " has no meters, because there are several MeterRegistry beans. "
                    + "Mark one of them @Primary");
            return;
        }
        if (metered instanceof WheelTaskScheduler scheduler) {
            WheelSchedulerMetricsProperties set = properties.getObject();
            WheelSchedulerMetrics metrics =
                    new WheelSchedulerMetrics(scheduler, name, set.getMaxTasks(), set.getTasks()::includes);
            register(meters, registry, metrics, metrics::close);
        } else {
            TimerMetrics metrics = metersOf(metered, name);
            register(meters, registry, metrics, metrics::close);
        }
    }

    /** Returns the meters of timers for programs, which measure their lateness from now on. */
    private static TimerMetrics metersOf(Object bean, String name) {
        ProgramTimers.Reading first = ProgramTimers.read(bean, name);
        if (first instanceof Leases) {
            return TimerMetrics.ofLeases(
                    name,
                    bean,
                    read(Leases.class, Leases::kept),
                    read(Leases.class, Leases::renewed),
                    read(Leases.class, Leases::failed),
                    read(Leases.class, Leases::lost));
        }
        ProgramTimers.measureLateness(bean);
        return TimerMetrics.ofTimers(
                first.kind(),
                name,
                bean,
                read(Timers.class, Timers::pending),
                read(Timers.class, Timers::fired),
                read(Timers.class, Timers::moved),
                read(Timers.class, Timers::failed),
                each -> ((Timers) ProgramTimers.read(each, name)).lateness());
    }

    private static <T> ToLongFunction<Object> read(Class<T> kind, ToLongFunction<T> count) {
        return bean -> count.applyAsLong(kind.cast(ProgramTimers.read(bean, "")));
    }

    private void register(BoundMeters meters, MeterRegistry registry, MeterBinder metrics, Runnable close) {
        try {
            metrics.bindTo(registry);
        } catch (RuntimeException ex) {
            logger.warn(
                    textOf(meters.metered, meters.name)
                            + " has no meters, because the registry refused one of them. Look for a MeterFilter "
                            + "that fails, or a meter "
                            + "of the same name",
                    ex);
            return;
        }
        if (!keep(meters, close)) {
            // It has been destroyed meanwhile.
            close(meters.name, close);
        }
    }

    private static String textOf(Object metered, String name) {
        return (metered instanceof WheelTaskScheduler ? "Scheduler " : "Bean ") + name;
    }

    private synchronized boolean isStillThere(BoundMeters meters) {
        return bound.get(meters.metered) == meters;
    }

    /** Notes how to take the meters away; false if they are not wanted any more. */
    private synchronized boolean keep(BoundMeters meters, Runnable close) {
        meters.close = close;
        return isStillThere(meters);
    }

    private synchronized void forgetUnlessRegistered(BoundMeters meters) {
        if (meters.close == null) {
            boolean ignored = bound.remove(meters.metered, meters);
        }
    }

    /** Returns how many have meters, or wait for them. */
    synchronized int size() {
        return bound.size();
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return isFactoryOfMetered(bean)
                || WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel
                || behindProxies(bean) != null;
    }

    /** Spring reports the destruction of a factory only, not of the objects it has created. */
    private static boolean isFactoryOfMetered(Object bean) {
        Class<?> made = bean instanceof FactoryBean<?> factory ? typeOf(factory) : null;
        return made != null && (WheelSchedulers.mayBeOne(made) || ProgramTimers.mayBe(made));
    }

    /** As Spring asks it: a factory that fails does not know. */
    private static @Nullable Class<?> typeOf(FactoryBean<?> factory) {
        try {
            return factory.getObjectType();
        } catch (Throwable ex) {
            return null;
        }
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        if (bean instanceof FactoryBean<?>) {
            boundOf(nameOf(beanName)).forEach(made -> unbind(made, nameOf(beanName)));
        } else if (WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel wheel) {
            wheel.schedulers().forEach((name, own) -> unbind(own, name));
        } else {
            unbind(behindProxies(bean), nameOf(beanName));
        }
    }

    private synchronized List<Object> boundOf(String name) {
        return bound.entrySet().stream()
                .filter(entry -> entry.getValue().name.equals(name))
                .map(Map.Entry::getKey)
                .toList();
    }

    private void unbind(@Nullable Object metered, String name) {
        Runnable close = metered != null ? forget(metered) : null;
        if (close != null) {
            close(name, close);
        }
    }

    private static void close(String name, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException ex) {
            // An exception from here would keep the scheduler from being shut down.
            logger.warn(
                    "The meters of " + name
                            + " could not be removed, as the registry failed; they keep their last values",
                    ex);
        }
    }

    /** Returns how to take the meters away; null if there are none, or the thread that registers them does it. */
    private synchronized @Nullable Runnable forget(Object metered) {
        BoundMeters meters = bound.remove(metered);
        boolean ignored = waiting.remove(meters);
        return meters == null ? null : meters.close;
    }
}
