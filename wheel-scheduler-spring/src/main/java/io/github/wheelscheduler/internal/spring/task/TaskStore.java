package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import io.github.wheelscheduler.internal.spring.run.OneTimeNotes;
import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Keeps the tasks of a scheduler that have an id, from when they come until they are over. Any thread. */
public final class TaskStore {

    /** Applications set levels by this name. */
    private static final Log logger = LogFactory.getLog("io.github.wheelscheduler.spring.task.TaskBook");

    /** The number of finished tasks that stay visible. */
    private static final int MAX_OVER = 100;

    /** The number of tasks that have ended by themselves, or as many as there were, after which they are removed. */
    private static final int TIDY_AFTER = 1_000;

    /** Times as many added tasks have the same effect, as a task may also end unnoticed. */
    private static final int TIMES_AS_MANY = 16;

    private static final int MAX_WARNED = 1_000;

    final TaskTimers timers;
    public final TaskEvents news;
    final TaskPlaces places;

    /**
     * The number of tasks that may still be added before finished ones are removed, about: threads that add at a time
     * may count as one.
     */
    private final AtomicInteger untilTidying = new AtomicInteger(TIMES_AS_MANY * TIDY_AFTER);

    /** The number of tasks that have ended by themselves since finished ones were removed. */
    private final AtomicInteger ended = new AtomicInteger();

    private volatile int mostEnded = TIDY_AFTER;

    public final SharedSchedules schedules = new SharedSchedules();

    /** Names whose settings have been found to have no effect. */
    private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

    /**
     * Makes an empty one.
     *
     * @param timers arms tasks
     * @param news called for changes of their state
     */
    public TaskStore(TaskTimers timers, TaskEvents news) {
        this.timers = timers;
        this.news = news;
        this.places = new TaskPlaces(news::removed);
    }

    // Adding and removing

    /** Schedules a task under a name, see {@link TaskRegistry#schedule}. */
    public ScheduledFuture<?> schedule(String name, Runnable task, TaskSchedule schedule, TaskSettings given) {
        StackReserve.askForMore();
        ScheduledFuture<?> never = timers.never();
        if (never != null) {
            return never;
        }
        tidyNowAndThen();
        TaskSettings settings = timers.catalog.settingsOf(name, given);
        Instant first = schedule instanceof TaskSchedule.Once once ? once.at() : null;
        SettledSchedule settled = SettledSchedule.of(schedule, first, settings, timers.clock());
        news.limited(settings);
        TaskSeries series = new TaskSeries(this, name, task, TaskInfo.Origin.NAMED, settled);
        if (!places.putGiven(series)) {
            throw new IllegalArgumentException("name must not be the name of a scheduled task, was " + name);
        }
        ScheduledFuture<?> armed = armOrForget(series, settled);
        if (armed == null) {
            throw new IllegalArgumentException("schedule must have a time in the future, was "
                    + settled.schedule().text());
        }
        return armed;
    }

    /**
     * Schedules a task that brings no name; null if a trigger names no instant.
     *
     * @param first when a fixed rate or delay starts; null for at once
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it
     */
    public @Nullable ScheduledFuture<?> add(Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        StackReserve.askForMore();
        ScheduledFuture<?> never = timers.never();
        TaskRouter router = timers.router;
        if (never != null && router == null) {
            return never;
        }
        tidyNowAndThen();
        String name = TaskNames.of(task, timers.catalog);
        TaskSettings settings = timers.catalog.settingsOf(name, TaskSettings.NONE);
        SettledSchedule settled = SettledSchedule.of(schedule, first, settings, timers.clock());
        boolean isEnabled = never == null && SettledSchedule.isEnabled(settings);
        ScheduledFuture<?> routed =
                router == null ? null : router.route(name, task, settled.schedule(), settled.first(), isEnabled);
        if (routed != null || never != null) {
            return routed == null ? never : routed;
        }
        TaskInfo.Origin origin =
                TaskNames.isRegistrars(task) ? TaskInfo.Origin.ANNOTATED : TaskInfo.Origin.PROGRAMMATIC;
        news.limited(settings);
        TaskSeries series = new TaskSeries(this, name, task, origin, settled);
        places.putNumbered(series);
        return armOrForget(series, settled);
    }

    /** Arms the task, of which listeners hear before its first run; null if a trigger names no instant. */
    private @Nullable ScheduledFuture<?> armOrForget(TaskSeries series, SettledSchedule settled) {
        boolean isArmed;
        try {
            news.added(series);
            isArmed = series.armFirst(settled.first());
        } catch (Throwable ex) {
            remove(series);
            throw ex;
        }
        if (series.isDisabled() && timers.executor().isShutdown()) {
            // The shutdown may not have seen it.
            boolean ignored = series.cancel(false);
        }
        if (!isArmed || series.isCancelled()) {
            remove(series);
        }
        if (isArmed) {
            warnOfIdle(series, settled);
        }
        return isArmed ? series : null;
    }

    /**
     * Warns of settings without effect, once for each id, unless there are very many. Does not fail: the task is armed.
     */
    private void warnOfIdle(TaskSeries series, SettledSchedule settled) {
        try {
            String name = series.name();
            List<String> idle = settled.settings().isNothing() ? List.of() : settled.idle();
            if (!idle.isEmpty() && warnedOf.size() < MAX_WARNED && warnedOf.add(name)) {
                TaskSchedule schedule = settled.schedule();
                logger.warn("Settings of task " + name + " have no effect, as its schedule is " + schedule.kind() + " "
                        + ScheduleText.of(schedule) + "; remove them, or change the schedule: " + idle);
            }
        } catch (Throwable ex) {
            // There is no memory, or the log is broken.
        }
    }

    /** Forgets a task that has been cancelled. */
    void remove(TaskSeries series) {
        if (places.remove(series)) {
            // One without a timer has been refused, and listeners are told that.
            if (series.timer != null
                    && series.isCancelled()
                    && !series.isRepeating()
                    && !series.guard().hasBegun()) {
                news.cancelled(series);
            }
            news.removed(series);
        }
    }

    /**
     * Ends the series of triggers whose runs the wheel, on which an executor of the user's arms them, takes for
     * one-time tasks.
     */
    public void endTriggersAround() {
        for (TaskSeries series : tasks()) {
            if (series.isTriggerAround()) {
                cancelAround(series);
            }
        }
    }

    /** Its future may be the user's, whose exceptions must not prevent the shutdown of the scheduler. */
    private static void cancelAround(TaskSeries series) {
        try {
            boolean ignored = series.cancel(false);
        } catch (Throwable ex) {
            logger.warn(
                    "The next run of " + series.id() + " could not be cancelled; the shutdown continues. "
                            + "Fix the executor around the wheel",
                    ex);
        }
    }

    /**
     * Forgets everything; the scheduler has been shut down. Names the one-time tasks that a pause has kept from
     * running.
     */
    public void clear(Consumer<Runnable> neverRan) {
        for (TaskSeries series : tasks()) {
            if (series.giveUpIfHeld()) {
                neverRan.accept(series.guard());
            }
            if (series.isDisabled() || series.isDone()) {
                // No timer would end its future, or release the user's task.
                cancelAround(series);
            }
            remove(series);
        }
    }

    /** A series has ended by itself, and stays here. */
    void ended() {
        int ignored = ended.incrementAndGet();
    }

    /**
     * Removes finished tasks when there may be many, so that nothing is kept for ever though no thread looks. Cancelled
     * tasks have been removed already, and do not count.
     */
    private void tidyNowAndThen() {
        int seen = ended.get();
        boolean areMany = seen >= mostEnded && ended.compareAndSet(seen, 0);
        int left = untilTidying.getPlain() - 1;
        untilTidying.setPlain(left);
        if (left <= 0 || areMany) {
            // First: if tidying fails, it is not the last time.
            untilTidying.set(TIMES_AS_MANY * TIDY_AFTER);
            forgetOver();
            int many = Math.max(TIDY_AFTER, places.size());
            mostEnded = many;
            untilTidying.set((int) Math.min(Integer.MAX_VALUE, (long) TIMES_AS_MANY * many));
        }
    }

    /** Forgets tasks that are over, but for the last ones that have run and have a name worth keeping. */
    public void forgetOver() {
        // With when they last ran, as that may change while they are sorted.
        List<Map.Entry<Long, TaskSeries>> over = new ArrayList<>();
        for (TaskSeries series : tasks()) {
            if (series.isGone()) {
                if (series.origin == TaskInfo.Origin.PROGRAMMATIC || series.isCancelled()) {
                    remove(series);
                } else {
                    over.add(Map.entry(series.guard().lastRunAt(), series));
                }
            }
        }
        if (over.size() > MAX_OVER) {
            over.sort(Map.Entry.<Long, TaskSeries>comparingByKey()
                    .thenComparing(each -> each.getValue().id()));
            over.subList(0, over.size() - MAX_OVER).forEach(each -> remove(each.getValue()));
        }
    }

    // Looking

    /** Returns all tasks, also the ones that are over, in no order. */
    public Collection<TaskSeries> tasks() {
        return places.all();
    }

    public @Nullable TaskSeries get(String id) {
        return places.get(id);
    }

    /** Returns about how much is kept: tasks, and their names. */
    public int footprint() {
        return places.size() + places.names();
    }

    /** Tells a listener of one-time runs that are not kept here. */
    public void note(OneTimeRunListener listener) {
        timers.failures.note(listener, () -> new OneTimeNotes(this::nanoTime, this::epochNanos));
    }

    /** Tells a listener of one-time runs nothing more. */
    public void forget(OneTimeRunListener listener) {
        timers.failures.forget(listener);
    }

    // For tasks

    /** Returns the time since the epoch, in nanoseconds; by the system's clock if the scheduler's does not say. */
    long epochNanos() {
        try {
            return EpochNanos.of(timers.clock().instant());
        } catch (Throwable ex) {
            return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        }
    }

    long nanoTime() {
        return timers.executor().nanoTime();
    }
}
