package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * A wheel with a scheduler that is no bean, where no scheduler bean has one. It manages that scheduler and its
 * groups as the context manages scheduler beans. Not final, so that it can be proxied.
 */
class OwnTimerWheel extends TimerWheel
        implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, DisposableBean {

    /** The scheduler, then its groups, with the names that they are shown by. */
    private final Map<String, WheelTaskScheduler> schedulers = new LinkedHashMap<>();

    OwnTimerWheel(String name, WheelTaskScheduler scheduler) {
        super(scheduler);
        schedulers.put(name, scheduler);
    }

    /** Returns a wheel with the settings of all schedulers, and the groups that the properties name. */
    static TimerWheel create(
            String name,
            WheelTaskSchedulerBuilder builder,
            Map<String, GroupProperties> groupProperties,
            AutowireCapableBeanFactory beanFactory) {
        UnusableSettingException.unless(
                !groupProperties.containsKey(name),
                GroupBeans.PROPERTY + "." + name,
                name,
                GroupBeans.NAME_RULE,
                GroupBeans.NAME_EXAMPLE);
        OwnTimerWheel wheel = new OwnTimerWheel(name, builder.build());
        try {
            initialize(wheel.scheduler(), name, beanFactory);
            SchedulerGroups groups = new SchedulerGroups(wheel.scheduler(), builder, groupProperties);
            for (String group : groupProperties.keySet()) {
                WheelTaskScheduler made = groups.newScheduler(group);
                initialize(made, group, beanFactory);
                wheel.schedulers.put(group, made);
            }
        } catch (Throwable ex) {
            wheel.destroy();
            throw ex;
        }
        return wheel;
    }

    /** Applies bean post-processors to the scheduler, for virtual time among others; no proxy takes its place. */
    private static void initialize(WheelTaskScheduler scheduler, String name, AutowireCapableBeanFactory beanFactory) {
        // Otherwise the name would be that of its threads.
        scheduler.setThreadNamePrefix(scheduler.getThreadNamePrefix());
        scheduler.setBeanName(name);
        Object ignored = beanFactory.initializeBean(
                scheduler, scheduler.getClass().getName() + AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX);
    }

    /** Returns the scheduler and its groups by name. */
    Map<String, WheelTaskScheduler> schedulers() {
        return Collections.unmodifiableMap(schedulers);
    }

    /** Returns all, the groups before the scheduler that ends them. */
    private List<WheelTaskScheduler> groupsFirst() {
        List<WheelTaskScheduler> all = new ArrayList<>(schedulers.values());
        Collections.reverse(all);
        return all;
    }

    @Override
    public void start() {
        schedulers.values().forEach(WheelTaskScheduler::start);
    }

    @Override
    public void stop() {
        groupsFirst().forEach(WheelTaskScheduler::stop);
    }

    @Override
    public void stop(Runnable callback) {
        AtomicInteger going = new AtomicInteger(schedulers.size());
        for (WheelTaskScheduler scheduler : groupsFirst()) {
            scheduler.stop(() -> {
                if (going.decrementAndGet() == 0) {
                    callback.run();
                }
            });
        }
    }

    @Override
    public boolean isRunning() {
        return scheduler().isRunning();
    }

    @Override
    public boolean isAutoStartup() {
        return scheduler().isAutoStartup();
    }

    @Override
    public int getPhase() {
        return scheduler().getPhase();
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        groupsFirst().forEach(scheduler -> scheduler.onApplicationEvent(event));
    }

    @Override
    public void destroy() {
        RuntimeException failure = null;
        for (WheelTaskScheduler scheduler : groupsFirst()) {
            try {
                scheduler.destroy();
            } catch (RuntimeException ex) {
                failure = ex;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
