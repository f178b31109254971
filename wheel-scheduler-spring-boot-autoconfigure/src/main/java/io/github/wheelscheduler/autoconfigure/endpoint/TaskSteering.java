package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Passes on to the registry what is to become of tasks. Any thread. */
final class TaskSteering {

    static final int MOST_REFUSALS = 100;
    /**
     * Maximum number of tasks of a bulk action that listeners receive one by one; they receive the number of the
     * others.
     */
    static final int MOST_TOLD = 1_000;

    /** The state of a task that is gone. */
    static final String GONE = "gone";

    private static final String RETIME = "retime";

    private static final Map<String, BiConsumer<TaskRegistry, String>> ACTIONS = new LinkedHashMap<>();

    static {
        ACTIONS.put("trigger", TaskRegistry::trigger);
        ACTIONS.put("pause", TaskRegistry::pause);
        ACTIONS.put("resume", TaskRegistry::resume);
        ACTIONS.put("reset", TaskRegistry::reset);
        ACTIONS.put("interrupt", (registry, id) -> {
            int ignored = registry.interrupt(id);
        });
    }

    private final Duration minInterval;

    /** Makes one that takes no shorter rate or delay. */
    TaskSteering(Duration minInterval) {
        this.minInterval = minInterval;
    }

    static String lowerCase(@Nullable String action) {
        return action == null ? "" : action.toLowerCase(Locale.ROOT);
    }

    /** Does something with one task. */
    void steer(SchedulerBeans.Named found, String id, @Nullable String action, ScheduleTexts schedule) {
        if (lowerCase(action).equals(RETIME)) {
            found.registry().retime(id, toSchedule(found, schedule));
        } else {
            schedule.requireNone();
            actionOf(action, ", " + RETIME + " or, over HTTP, " + WheelSchedulerEndpoint.STACK)
                    .accept(found.registry(), id);
        }
    }

    /** Returns what a schedule would be like for a task. */
    PreviewDescriptor preview(
            SchedulerBeans.Named found, String id, @Nullable String action, ScheduleTexts schedule, int runs) {
        if (!lowerCase(action).equals(RETIME)) {
            throw new IllegalArgumentException("preview must only be true with the action retime, was with " + action);
        }
        TaskSchedule wanted = toSchedule(found, schedule);
        String zone = wanted.isCron() ? usualZone(found, found.registry().get(id), wanted.zone()) : null;
        List<Instant> upcoming = found.registry().preview(id, wanted, runs);
        Instant now = found.scheduler().getClock().instant();
        return new PreviewDescriptor(
                ScheduleWords.of(wanted),
                upcoming,
                SkippedRuns.of(wanted, zone == null ? null : ZoneId.of(zone), now, upcoming),
                zone);
    }

    /**
     * Returns the zone in which a cron of a task is meant.
     *
     * @param written with the cron; null if none is
     */
    static String usualZone(SchedulerBeans.Named found, TaskInfo task, @Nullable ZoneId written) {
        ZoneId set = task.settings().zone();
        if (set != null) {
            return set.getId();
        }
        ZoneId usual = Objects.requireNonNullElseGet(
                task.schedule().zone(), () -> found.scheduler().getClock().getZone());
        return (written == null ? usual : written).getId();
    }

    private TaskSchedule toSchedule(SchedulerBeans.Named found, ScheduleTexts schedule) {
        return schedule.toSchedule(minInterval, found.scheduler().getClock().instant());
    }

    private static BiConsumer<TaskRegistry, String> actionOf(@Nullable String action, String others) {
        BiConsumer<TaskRegistry, String> known = ACTIONS.get(lowerCase(action));
        if (known == null) {
            throw new IllegalArgumentException(
                    "action must be " + String.join(", ", ACTIONS.keySet()) + others + ", was " + action);
        }
        return known;
    }

    /**
     * Does something with all tasks that a query finds.
     *
     * @param expected the number of those tasks; null for any number
     * @param told notified of the first tasks, one by one; null for none
     * @throws IllegalArgumentException if there is no such action, or neither a filter nor a number; nothing has
     *     changed
     * @throws IllegalStateException if their number differs by now; nothing has changed
     */
    SteeredTasksDescriptor steerAll(
            Map<String, TaskRegistry> registries,
            TaskRequest filter,
            @Nullable String action,
            @Nullable Integer expected,
            @Nullable Told told) {
        BiConsumer<TaskRegistry, String> wanted = actionOf(action, "");
        TaskQuery query = filter.toQuery();
        if (expected == null && !filter.isFiltered()) {
            // Boot passes over a filter whose name is misspelt.
            throw new IllegalArgumentException(
                    "expected, the number of tasks, must be given if scheduler, group, text and state are not, because "
                            + "the action then affects all tasks");
        }
        List<Found> found = TaskRegistry.find(
                        registries,
                        query.part(0, Integer.MAX_VALUE),
                        (name, task) -> new Found(name, task.id(), task.state()))
                .tasks();
        if (expected != null && expected != found.size()) {
            throw new IllegalStateException(
                    "The number of matching tasks has changed: expected must be " + found.size() + ", was " + expected);
        }
        int done = 0;
        List<SteeredTasksDescriptor.Refusal> refusals = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            Found task = found.get(i);
            TaskRegistry registry = registries.get(task.scheduler);
            String refusal = null;
            try {
                if (registry != null) {
                    wanted.accept(registry, task.id);
                }
                done++;
            } catch (RuntimeException ex) {
                // Also of a trigger of the user's: the others are steered all the same.
                refusal = EndpointAnswers.printable(NamedSteering.refusalOf(ex));
                if (refusals.size() < MOST_REFUSALS) {
                    refusals.add(new SteeredTasksDescriptor.Refusal(task.id, task.scheduler, refusal));
                }
            }
            if (told != null && registry != null && i < MOST_TOLD) {
                String to = refusal != null
                        ? null
                        : registry.find(task.id)
                                .map(after -> after.state().name())
                                .orElse(GONE);
                told.steered(Target.ofTask(task.scheduler, task.id), task.state.name(), to, refusal);
            }
        }
        return new SteeredTasksDescriptor(found.size(), done, found.size() - done, List.copyOf(refusals));
    }

    private record Found(String scheduler, String id, TaskInfo.State state) {}

    /** Receives the outcome for one of many tasks. */
    @FunctionalInterface
    interface Told {

        /**
         * One task was steered, or that was refused.
         *
         * @param refusal why it was refused; null if it was done
         */
        void steered(Target task, String from, @Nullable String to, @Nullable String refusal);
    }
}
