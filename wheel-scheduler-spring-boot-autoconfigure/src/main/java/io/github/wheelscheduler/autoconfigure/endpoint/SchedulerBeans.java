package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.ProgramTimers;
import io.github.wheelscheduler.autoconfigure.WheelSchedulers;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The schedulers and timers on the wheel that the application has, found anew each time, so that none is created early.
 */
final class SchedulerBeans {

    private final ListableBeanFactory beanFactory;

    SchedulerBeans(ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** A scheduler and the name of its bean. */
    record Named(String name, WheelTaskScheduler scheduler) {

        TaskRegistry registry() {
            return scheduler.getTaskRegistry();
        }

        private boolean isGroup() {
            return group() != null;
        }

        /** Returns the name of the group that it is of another one; null if it is none. */
        private @Nullable String group() {
            return scheduler.isInitialized()
                    ? scheduler.getWheelScheduledExecutor().groupName()
                    : null;
        }
    }

    /**
     * Returns all schedulers, or only that of the name if it is not null.
     *
     * @throws UnknownNameException if there is none of that name
     */
    List<Named> all(@Nullable String name) {
        List<Named> all = WheelSchedulers.in(beanFactory).entrySet().stream()
                .map(entry -> new Named(entry.getKey(), entry.getValue()))
                .toList();
        if (name == null) {
            return all;
        }
        return List.of(all.stream()
                .filter(one -> one.name.equals(name))
                .findFirst()
                .orElseThrow(() -> UnknownNameException.ofScheduler(name, namesOf(all))));
    }

    /**
     * Returns the schedulers of these names, or all where both are null.
     *
     * @throws UnknownNameException if there is no such scheduler or group
     */
    List<Named> all(@Nullable String name, @Nullable String group) {
        List<Named> all = all(name);
        if (group == null) {
            return all;
        }
        List<Named> found =
                all.stream().filter(one -> group.equals(one.group())).toList();
        if (found.isEmpty()) {
            List<String> known =
                    all.stream().map(Named::group).filter(Objects::nonNull).toList();
            throw UnknownNameException.of("No group named " + group + "; there are " + known);
        }
        return found;
    }

    /** Returns why there is none; null if the application has not started. */
    @Nullable
    String whyNone() {
        return WheelSchedulers.whyNone(beanFactory);
    }

    /** Returns what timers for programs have done so far. */
    List<ProgramTimers.Reading> timers() {
        return ProgramTimers.in(beanFactory);
    }

    private static List<String> namesOf(List<Named> schedulers) {
        return schedulers.stream().map(Named::name).toList();
    }

    /**
     * Returns the scheduler of that name; if it is null, the only one that is no group of another.
     *
     * @throws UnknownNameException if there is none of that name, or none at all
     * @throws IllegalArgumentException if there are several and no name
     */
    Named one(@Nullable String name) {
        List<Named> all = all(name);
        if (all.isEmpty()) {
            throw UnknownNameException.of(Objects.requireNonNullElse(whyNone(), "No scheduler is on the wheel"));
        }
        List<Named> found =
                all.stream().filter(one -> all.size() == 1 || !one.isGroup()).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("scheduler must be given, one of " + namesOf(all));
        }
        return found.get(0);
    }

    /**
     * Returns the scheduler that has a task.
     *
     * @param scheduler the only one to look in; null for all
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if several have it
     */
    Named withTask(String id, @Nullable String scheduler) {
        List<Named> all = all(scheduler);
        List<Named> found =
                all.stream().filter(one -> one.registry().find(id).isPresent()).toList();
        if (found.isEmpty()) {
            int known = all.stream().mapToInt(one -> one.registry().size()).sum();
            throw UnknownNameException.ofTask(id, known);
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException(
                    "scheduler must be given, one of " + namesOf(found) + ", which all have a task " + id);
        }
        return found.get(0);
    }
}
