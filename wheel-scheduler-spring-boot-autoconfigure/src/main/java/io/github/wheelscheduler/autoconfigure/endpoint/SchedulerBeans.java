package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.WheelSchedulers;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** The schedulers on the wheel that the application has, found anew each time, so that none is created early. */
final class SchedulerBeans {

    private final ListableBeanFactory beanFactory;

    SchedulerBeans(ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** A scheduler and the name of its bean. */
    record Named(String name, WheelTaskScheduler scheduler) {

        private Named(Map.Entry<String, WheelTaskScheduler> entry) {
            this(entry.getKey(), entry.getValue());
        }

        TaskRegistry registry() {
            return scheduler.getTaskRegistry();
        }
    }

    /**
     * Returns all schedulers, or only that of the name if it is not null.
     *
     * @throws UnknownNameException if there is none of that name
     */
    Map<String, WheelTaskScheduler> all(@Nullable String name) {
        Map<String, WheelTaskScheduler> all = WheelSchedulers.in(beanFactory);
        if (name == null) {
            return all;
        }
        WheelTaskScheduler scheduler = all.get(name);
        if (scheduler == null) {
            throw UnknownNameException.ofScheduler(name, all.keySet());
        }
        return Map.of(name, scheduler);
    }

    /**
     * Returns the scheduler of that name; if it is null, the only one that is no group of another.
     *
     * @throws UnknownNameException if there is none of that name
     * @throws IllegalArgumentException if there are several and no name
     */
    Named one(@Nullable String name) {
        Map<String, WheelTaskScheduler> all = all(name);
        List<Named> found = all.entrySet().stream()
                .filter(entry -> all.size() == 1 || !isGroup(entry.getValue()))
                .map(Named::new)
                .toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("scheduler must be given, one of " + all.keySet());
        }
        return found.get(0);
    }

    private static boolean isGroup(WheelTaskScheduler scheduler) {
        return scheduler.isInitialized()
                && scheduler.getWheelScheduledExecutor().groupName() != null;
    }

    /**
     * Returns the scheduler that has a task.
     *
     * @param scheduler the only one to look in; null for all
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if several have it
     */
    Named withTask(String id, @Nullable String scheduler) {
        Map<String, WheelTaskScheduler> all = all(scheduler);
        List<Named> found = new ArrayList<>();
        for (Map.Entry<String, WheelTaskScheduler> entry : all.entrySet()) {
            Named named = new Named(entry);
            if (named.registry().find(id).isPresent()) {
                found.add(named);
            }
        }
        if (found.isEmpty()) {
            int known = all.values().stream()
                    .mapToInt(each -> each.getTaskRegistry().size())
                    .sum();
            throw UnknownNameException.ofTask(id, known);
        }
        if (found.size() > 1) {
            List<String> names = found.stream().map(Named::name).toList();
            throw new IllegalArgumentException(
                    "scheduler must be given, one of " + names + ", which all have a task " + id);
        }
        return found.get(0);
    }
}
