package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.DisabledCron;
import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Takes {@code @Durable} methods away from the scheduler, where Spring has parsed their schedules, and gives them to
 * the engine. When the context has been refreshed, each that Spring has scheduled elsewhere stops the start.
 */
final class DurableSchedules
        implements TaskRouter,
                BeanPostProcessor,
                ApplicationListener<ContextRefreshedEvent>,
                ApplicationContextAware,
                Ordered {

    private static final Log LOGGER = LogFactory.getLog(DurableSchedules.class);

    /** The settings of tasks that hold for all nodes alike. */
    private static final Set<String> SETTINGS =
            Set.of("enabled", "cron", "zone", "fixed-rate", "fixed-delay", "initial-delay");

    private final ObjectProvider<DurableEngine> engine;
    private final ObjectProvider<DurableProperties> properties;
    private final ObjectProvider<TaskCatalog> catalog;

    private @Nullable ConfigurableApplicationContext context;

    /** The ids that have come here, refused ones among them. */
    private final Set<String> routed = ConcurrentHashMap.newKeySet();

    /** The methods that the engine has been given last, by the ids that it knows. */
    private final Map<String, Method> byName = new ConcurrentHashMap<>();

    DurableSchedules(
            ObjectProvider<DurableEngine> engine,
            ObjectProvider<DurableProperties> properties,
            ObjectProvider<TaskCatalog> catalog) {
        this.engine = engine;
        this.properties = properties;
        this.catalog = catalog;
    }

    @Override
    public void setApplicationContext(ApplicationContext context) {
        this.context = (ConfigurableApplicationContext) context;
    }

    /** After Spring's own listener, which schedules. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof WheelTaskScheduler scheduler && scheduler.getTaskRouter() == null) {
            scheduler.setTaskRouter(this);
        }
        return bean;
    }

    @Override
    public @Nullable ScheduledFuture<?> route(
            String id, Runnable task, TaskSchedule schedule, @Nullable Instant first, boolean isEnabled) {
        TaskDeclaration declaration = catalog.getObject().declaration(id);
        Durable annotation = declaration == null ? null : durable(declaration.method());
        if (declaration == null || annotation == null) {
            return null;
        }
        boolean ignored = routed.add(id);
        Method method = declaration.method();
        EarlyReturn.refuse("Durable", method, declaration.type());
        refuseSettings(id, method);
        String name = nameOf(id, annotation);
        if (!isEnabled) {
            // Not left to the scheduler, at which it could be resumed, beside the other nodes.
            TaskSettings settings = catalog.getObject().settingsOf(id, TaskSettings.NONE);
            boolean isDisabled =
                    Boolean.FALSE.equals(settings.enabled()) || Scheduled.CRON_DISABLED.equals(settings.cron());
            leaveOut(
                    name,
                    isDisabled ? "its setting enabled is false, or its cron is -" : "the mode of its scheduler is off");
            return new Routed(() -> {});
        }
        ScheduledFuture<?> future = repeat(name, task, recurrenceOf(method, schedule, first), annotation, method, id);
        byName.put(name, method);
        return future;
    }

    private static String nameOf(String id, Durable annotation) {
        return annotation.value().isEmpty() ? id : annotation.value();
    }

    /** Leaves a task to other nodes, whose row is kept meanwhile. */
    private void leaveOut(String name, String reason) {
        LOGGER.info("The durable task " + name + " does not run on this node, as " + reason);
        if (properties.getObject().enabled()) {
            engine.getObject().know(name);
        }
    }

    /** A setting that is for runs of one node would be ignored in silence. */
    private void refuseSettings(String id, Method method) {
        catalog.getObject().settingsOf(id, TaskSettings.NONE).toMap().forEach((setting, value) -> {
            if (!SETTINGS.contains(setting)) {
                throw new UnusableSetupException(
                        "A method with @Durable must have no setting but for its schedule, but " + setting + " is "
                                + value + ": " + method,
                        "Remove the setting " + setting + " of the task " + id
                                + ", as runs of durable tasks follow from their row. Use @Durable(missed) for missed "
                                + "runs, and the endpoint wheeldurable to pause and re-time tasks for all nodes.");
            }
        });
    }

    private static @Nullable Durable durable(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Durable.class);
    }

    private static ScheduleRecurrence recurrenceOf(Method method, TaskSchedule schedule, @Nullable Instant first) {
        try {
            return ScheduleRecurrence.of(schedule, first);
        } catch (IllegalArgumentException ex) {
            throw new UnusableSetupException(
                    "@Durable on " + method + " cannot be used: " + ex.getMessage(),
                    "Give @Scheduled a cron, fixedRate or fixedDelay. Schedule a task that runs once with "
                            + "DurableTasks.",
                    ex);
        }
    }

    private ScheduledFuture<?> repeat(
            String id, Runnable task, ScheduleRecurrence recurrence, Durable annotation, Method method, String taskId) {
        if (!properties.getObject().enabled()) {
            LOGGER.info("The durable task " + id
                    + " does not run on this node, as wheel.scheduler.durable.enabled is false");
            return new Routed(() -> {});
        }
        boolean skipsMissed = annotation.missed() == Durable.Missed.SKIP;
        try {
            Runnable end = engine.getObject().repeat(id, recurrence, skipsMissed, task);
            return new Routed(() -> {
                end.run();
                // Its bean may have gone, and its class.
                boolean ignored = byName.remove(id, method) && routed.remove(taskId);
            });
        } catch (IllegalStateException | IllegalArgumentException ex) {
            Method other = byName.get(id);
            throw new UnusableSetupException(
                    other == null
                            ? "@Durable on " + method + " cannot be used: " + ex.getMessage()
                            : "A schedule with @Durable must have an id of its own, there are two '" + id + "': "
                                    + method + ", and " + other,
                    "Give each an id of its own with @Durable(\"...\"), or leave its value out where a method has "
                            + "several schedules.",
                    ex);
        }
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        ConfigurableApplicationContext own = context;
        if (own == null || event.getApplicationContext() != own) {
            return; // a child, such as that of the management port, is refreshed before Spring has scheduled
        }
        for (TaskDeclaration declaration : catalog.getObject().declarations()) {
            Durable annotation = durable(declaration.method());
            if (annotation != null && routed.add(declaration.id())) {
                if (DisabledCron.isOnly(declaration.method(), own.getBeanFactory())) {
                    leaveOut(nameOf(declaration.id(), annotation), "its cron is -");
                    continue;
                }
                throw new UnusableSetupException(
                        "A method with @Durable must be scheduled by a scheduler on the wheel, but is not: "
                                + declaration.method(),
                        "Put @EnableScheduling on a configuration, and let the scheduler of the method be that of the "
                                + "application or another WheelTaskScheduler. The log says above why the wheel is not "
                                + "used, if it is not.");
            }
        }
    }

    /**
     * The future of a task that is not the scheduler's. It never ends but by being cancelled, which ends it on this
     * node.
     */
    private static final class Routed extends CompletableFuture<Object> implements ScheduledFuture<Object> {

        private final Runnable end;

        Routed(Runnable end) {
            this.end = end;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                end.run();
            }
            return cancelled;
        }

        /** The database alone knows the next run, and is not asked: Boot shows none where there is no delay. */
        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
