package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.config.TaskSchedulerRouter;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * The schedulers that Spring has taken for {@code @Scheduled} methods, read after it has scheduled them. Its router
 * records the bean that it has found as a dependency of its post-processor; without one, it has made one thread of its
 * own.
 */
final class ScheduledPlaces {

    private static final String PROCESSOR = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME;

    private final ConfigurableListableBeanFactory beanFactory;
    private final RegistrarWatch registrar;

    /** Methods by the qualifier in their {@code @Scheduled(scheduler = ...)}. */
    private final Map<String, List<String>> apart = new LinkedHashMap<>();

    /** Whether there are methods without one. */
    private boolean hasUsual;

    ScheduledPlaces(ConfigurableListableBeanFactory beanFactory, RegistrarWatch registrar) {
        this.beanFactory = beanFactory;
        this.registrar = registrar;
        StringValueResolver values = new EmbeddedValueResolver(beanFactory);
        boolean isRouted = registrar.now() instanceof TaskSchedulerRouter;
        for (ScheduledTask scheduled :
                beanFactory.getBean(PROCESSOR, ScheduledTaskHolder.class).getScheduledTasks()) {
            String qualifier = isRouted ? qualifierOf(scheduled.getTask().getRunnable(), values) : "";
            if (qualifier.isEmpty()) {
                hasUsual = true;
            } else {
                apart.computeIfAbsent(qualifier, key -> new ArrayList<>()).add(nameOf(scheduled));
            }
        }
    }

    private static String qualifierOf(Runnable task, StringValueResolver values) {
        String qualifier = task instanceof SchedulingAwareRunnable aware ? aware.getQualifier() : null;
        String resolved = StringUtils.hasLength(qualifier) ? values.resolveStringValue(qualifier) : null;
        return resolved == null ? "" : resolved;
    }

    /** Returns the method, or the text of a task of the application's. */
    private static String nameOf(ScheduledTask scheduled) {
        try {
            return scheduled.toString();
        } catch (RuntimeException | StackOverflowError ex) {
            return "a task";
        }
    }

    /**
     * A scheduler that runs methods.
     *
     * @param name of the bean; null if it is none
     * @param scheduler or executor; null for the one thread that Spring makes
     */
    record Place(@Nullable String name, @Nullable Object scheduler) {

        /** Returns it if it is on the wheel, else null. */
        @Nullable
        WheelTaskScheduler wheel() {
            return scheduler == null ? null : WheelSchedulers.onTheWheel(WheelSchedulers.unproxied(scheduler));
        }

        boolean isOneThreadOfSprings() {
            return scheduler == null;
        }

        /** Returns name, type and limit, as far as they are known. */
        String text() {
            if (scheduler == null) {
                return "Spring's single default thread";
            }
            Object target = WheelSchedulers.unproxied(scheduler);
            Class<?> shown =
                    target instanceof TaskScheduler ? ClassUtils.getUserClass(target) : ScheduledExecutorService.class;
            String type = "a " + shown.getSimpleName();
            String is = name == null ? type : "'" + name + "'" + (wheel() == null ? ", " + type : "");
            int most = mostAtATime(target);
            return is
                    + switch (most) {
                        case 0 -> "";
                        case 1 -> ", one at a time";
                        case Integer.MAX_VALUE -> ", without a limit";
                        default -> ", up to " + most + " at a time";
                    };
        }

        /** Returns how many tasks run at a time at most; 0 if that is not known. */
        private static int mostAtATime(Object scheduler) {
            WheelTaskScheduler wheel = WheelSchedulers.onTheWheel(scheduler);
            if (wheel != null) {
                return wheel.isInitialized() ? wheel.getWheelScheduledExecutor().maxWorkers() : 0;
            }
            try {
                Object pool = scheduler instanceof ThreadPoolTaskScheduler springs
                        ? springs.getScheduledThreadPoolExecutor()
                        : scheduler;
                return pool instanceof ScheduledThreadPoolExecutor executor ? executor.getCorePoolSize() : 0;
            } catch (RuntimeException ex) {
                return 0; // a subclass may have none
            }
        }
    }

    /** Returns where methods without a scheduler of their own run; null if there is none yet. */
    @Nullable
    Place usual() {
        if (!hasUsual) {
            return null;
        }
        TaskScheduler scheduler = registrar.now();
        return scheduler instanceof TaskSchedulerRouter || scheduler == null ? found() : placeOf(scheduler);
    }

    /** Returns the scheduler that the router has found. */
    private Place found() {
        for (String name : beanFactory.getDependenciesForBean(PROCESSOR)) {
            Object bean = schedulerOf(name);
            if (bean != null) {
                return new Place(name, bean);
            }
        }
        return new Place(null, null);
    }

    private @Nullable Object schedulerOf(String name) {
        for (ConfigurableListableBeanFactory context : contexts()) {
            if (context.containsSingleton(name)
                    && (context.isTypeMatch(name, TaskScheduler.class)
                            || context.isTypeMatch(name, ScheduledExecutorService.class))) {
                return context.getBean(name);
            }
        }
        return null;
    }

    /** Looks for the bean that a scheduler is, or that an executor is behind it. */
    @SuppressWarnings("ReferenceEquality") // this very one
    private Place placeOf(TaskScheduler scheduler) {
        Object behind = scheduler instanceof ConcurrentTaskScheduler concurrent
                ? concurrent.getConcurrentExecutor()
                : scheduler;
        for (ConfigurableListableBeanFactory context : contexts()) {
            for (Class<?> type : List.of(TaskScheduler.class, ScheduledExecutorService.class)) {
                for (String name : context.getBeanNamesForType(type, false, false)) {
                    Object bean = context.containsSingleton(name) ? context.getBean(name) : null;
                    if (bean != null && (bean == scheduler || bean == behind)) {
                        return new Place(name, bean);
                    }
                }
            }
        }
        return new Place(null, scheduler);
    }

    private List<ConfigurableListableBeanFactory> contexts() {
        List<ConfigurableListableBeanFactory> contexts = new ArrayList<>();
        BeanFactory next = beanFactory;
        while (next instanceof ConfigurableListableBeanFactory context) {
            contexts.add(context);
            next = context.getParentBeanFactory();
        }
        return contexts;
    }

    /** Returns sentences on the methods with a scheduler of their own; empty if there are none. */
    String apart() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, List<String>> each : apart.entrySet()) {
            String qualifier = each.getKey();
            Object bean = schedulerOf(qualifier);
            Place place = bean == null ? null : new Place(qualifier, bean);
            text.append(". Methods with a scheduler of their own: ")
                    .append(WheelSchedulers.textOf(each.getValue()))
                    .append(" on ")
                    .append(place == null ? "the scheduler with the qualifier '" + qualifier + "'" : place.text())
                    .append(place == null || place.wheel() == null ? "" : ", on the wheel");
        }
        return text.toString();
    }
}
