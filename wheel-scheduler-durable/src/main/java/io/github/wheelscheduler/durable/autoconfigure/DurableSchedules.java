package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.lang.reflect.Method;
import java.time.Instant;
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
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Takes {@code @Durable} methods away from the scheduler, where Spring has parsed their schedules, and gives them to the engine. When the context has been
 * refreshed, each that Spring has scheduled elsewhere stops the start.
 */
final class DurableSchedules
        implements TaskRouter, BeanPostProcessor, ApplicationListener<ContextRefreshedEvent>, Ordered {

    private static final Log LOGGER = LogFactory.getLog(DurableSchedules.class);

    private final ObjectProvider<DurableEngine> engine;
    private final ObjectProvider<DurableProperties> properties;
    private final ObjectProvider<TaskCatalog> catalog;

    /** The ids that have come here, whatever became of them. */
    private final Set<String> routed = ConcurrentHashMap.newKeySet();

    DurableSchedules(
            ObjectProvider<DurableEngine> engine,
            ObjectProvider<DurableProperties> properties,
            ObjectProvider<TaskCatalog> catalog) {
        this.engine = engine;
        this.properties = properties;
        this.catalog = catalog;
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
        if (!isEnabled) {
            return null;
        }
        Method method = declaration.method();
        if (ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType()) != null) {
            throw new IllegalStateException("A method with @Durable must not return a publisher, but does: " + method);
        }
        return repeat(annotation.value().isEmpty() ? id : annotation.value(), task, schedule, first, annotation);
    }

    private static @Nullable Durable durable(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Durable.class);
    }

    private ScheduledFuture<?> repeat(
            String id, Runnable task, TaskSchedule schedule, @Nullable Instant first, Durable annotation) {
        ScheduleRecurrence recurrence = ScheduleRecurrence.of(schedule, first);
        if (!properties.getObject().enabled()) {
            LOGGER.info("The durable task " + id
                    + " does not run on this node, as wheel.scheduler.durable.enabled is false");
            return new Routed(() -> {});
        }
        return new Routed(engine.getObject().repeat(id, recurrence, annotation.missed() == Durable.Missed.SKIP, task));
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        for (TaskDeclaration declaration : catalog.getObject().declarations()) {
            if (durable(declaration.method()) != null && !routed.contains(declaration.id())) {
                throw new IllegalStateException(
                        "A method with @Durable must be scheduled by a scheduler on the wheel that runs, but is not: "
                                + declaration.method());
            }
        }
    }

    /** The future of a task that is not the scheduler's. It never ends but by being cancelled, which ends it on this node. */
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

        /** Nobody here knows. */
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
