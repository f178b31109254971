package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.StackReserve;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.run.EpochNanos;
import io.github.wheelscheduler.spring.run.RunFailures;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the tasks of a scheduler that have an id, from when they come until they are over, and stands between them and the
 * scheduler. Any thread.
 *
 * <p>It is long because it is all that a task knows of its scheduler: beside the keeping, it passes on what tasks ask of the scheduler and
 * what their runs tell listeners and the watch, and sees to it that none of that fails a run.
 */
public final class TaskBook {

    private static final Log logger = LogFactory.getLog(TaskBook.class);

    /** So many tasks stay visible when they are over. */
    private static final int MAX_OVER = 100;

    /** After so many tasks have come, or as many as there were, those that are over are forgotten. */
    private static final int TIDY_AFTER = 1_000;

    private static final int MAX_WARNED = 1_000;

    private final TaskTimers timers;
    private final TaskRegistry registry = new TaskRegistry(this);
    private final Map<TaskId, RegisteredTask> tasks = new ConcurrentHashMap<>();

    private final TaskIds ids = new TaskIds();

    /** How many tasks may still come before those that are over are forgotten. */
    private final AtomicInteger untilTidying = new AtomicInteger(TIDY_AFTER);

    /** Names whose settings have been found to have no effect. */
    private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

    private final TaskListeners listeners = new TaskListeners();
    private volatile @Nullable TaskWatch watch;
    // They need no memory to be counted up.
    private final AtomicLong pausedSkips = new AtomicLong();
    private final AtomicLong runningSkips = new AtomicLong();
    private final AtomicLong fullSkips = new AtomicLong();
    private final AtomicLong leftOut = new AtomicLong();

    /**
     * Makes an empty one.
     *
     * @param timers arms tasks
     */
    @SuppressWarnings("this-escape")
    public TaskBook(TaskTimers timers) {
        this.timers = timers;
    }

    /** Returns the users' door. */
    public TaskRegistry registry() {
        return registry;
    }

    // Adding and removing

    /** Schedules a task under a name, see {@link TaskRegistry#schedule}. */
    ScheduledFuture<?> schedule(String name, Runnable task, TaskSchedule schedule, TaskSettings given) {
        StackReserve.askForMore();
        ScheduledFuture<?> never = timers.never();
        if (never != null) {
            return never;
        }
        tidyNowAndThen();
        TaskSettings settings = timers.catalog().settingsOf(name, given);
        Instant first = schedule instanceof TaskSchedule.Once once ? once.at() : null;
        SettledSchedule settled = SettledSchedule.of(schedule, first, settings, timers.clock());
        RegisteredTask registered = newTask(name, task, TaskInfo.Origin.NAMED, settled, settings);
        if (!put(registered, TaskId.given(name))) {
            throw new IllegalArgumentException("name must not be that of a task which is scheduled, was " + name);
        }
        ScheduledFuture<?> armed = armOrForget(registered, settled.first());
        if (armed == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was "
                    + settled.schedule().text());
        }
        warnOfIdle(registered, settled);
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
        if (never != null) {
            return never;
        }
        boolean isRegistrars = TaskNames.isRegistrars(task);
        TaskInfo.Origin origin = isRegistrars ? TaskInfo.Origin.ANNOTATED : TaskInfo.Origin.PROGRAMMATIC;
        tidyNowAndThen();
        String name = TaskNames.of(task, timers.catalog());
        TaskSettings settings = timers.catalog().settingsOf(name, TaskSettings.NONE);
        SettledSchedule settled = SettledSchedule.of(schedule, first, settings, timers.clock());
        TaskRouter router = timers.router();
        ScheduledFuture<?> routed = router == null
                ? null
                : router.route(name, task, settled.schedule(), settled.first(), settled.enabled());
        if (routed != null) {
            return routed;
        }
        RegisteredTask registered = newTask(name, task, origin, settled, settings);
        try {
            putUnderFreeId(registered, name);
        } catch (Throwable ex) {
            // Its name must not be taken by what never gets a timer.
            remove(registered);
            throw ex;
        }
        ScheduledFuture<?> armed = armOrForget(registered, settled.first());
        warnOfIdle(registered, settled);
        return armed;
    }

    private RegisteredTask newTask(
            String name, Runnable task, TaskInfo.Origin origin, SettledSchedule settled, TaskSettings settings) {
        TaskWatch watching = watch;
        if (settings.timeLimit() != null && watching != null) {
            watching.limited(settings.timeLimit());
        }
        boolean mayGoOn = origin == TaskInfo.Origin.ANNOTATED && TaskNames.mayGoOn(name, timers.catalog());
        return new RegisteredTask(this, name, task, mayGoOn, origin, settled.schedule(), settings, settled.enabled());
    }

    /** Once for each id, unless there are very many. Does not fail: the task is armed. */
    private void warnOfIdle(RegisteredTask task, SettledSchedule settled) {
        if (settled.idle().isEmpty()) {
            return;
        }
        try {
            String name = task.taskId().name();
            if (warnedOf.size() < MAX_WARNED && warnedOf.add(name)) {
                TaskSchedule schedule = settled.schedule();
                logger.warn("Settings of task " + name + " that have no effect on it, as its schedule is "
                        + schedule.kind() + " " + schedule.text() + ": " + settled.idle());
            }
        } catch (Throwable ex) {
            // Memory is short, or the log is broken.
        }
    }

    private void putUnderFreeId(RegisteredTask task, String name) {
        TaskId id = new TaskId(name, ids.take(name));
        if (!putOrGiveBack(task, id)) {
            // Somebody has given that very id to a task.
            List<TaskId> taken = new ArrayList<>(List.of(id));
            try {
                do {
                    id = new TaskId(name, ids.take(name));
                    taken.add(id);
                } while (!putOrGiveBack(task, id));
                taken.remove(id);
            } finally {
                taken.forEach(ids::giveBack);
            }
        }
    }

    /** True if the task has that id now. */
    private boolean putOrGiveBack(RegisteredTask task, TaskId id) {
        boolean failed = true;
        try {
            boolean isPut = put(task, id);
            failed = false;
            return isPut;
        } finally {
            if (failed && tasks.get(task.taskId()) != task) {
                ids.giveBack(id);
            }
        }
    }

    /** False if a task that is not over has that id. */
    private boolean put(RegisteredTask task, TaskId id) {
        task.setId(id);
        RegisteredTask other = tasks.putIfAbsent(id, task);
        if (other == null) {
            return true;
        }
        if (other.future().isGone() && tasks.replace(id, other, task)) {
            giveBack(other.taskId());
            listeners.tell(listener -> listener.removed(task.id()));
            return true;
        }
        return false;
    }

    /** Listeners hear of the task before its first run. */
    private @Nullable ScheduledFuture<?> armOrForget(RegisteredTask task, @Nullable Instant first) {
        boolean isArmed = false;
        boolean isKept = false;
        try {
            listeners.tell(listener -> listener.added(task.id()));
            isArmed = task.armFirst(first);
            if (task.isDisabled() && timers.isShutdown()) {
                // Whoever shuts down may have been here before.
                boolean ignored = task.future().cancel(false);
            }
            isKept = isArmed && !task.future().isCancelled();
        } finally {
            if (!isKept) {
                remove(task);
            }
        }
        return isArmed ? task.future() : null;
    }

    /** Forgets a task that has been cancelled. */
    void remove(RegisteredTask task) {
        if (tasks.remove(task.taskId(), task)) {
            giveBack(task.taskId());
            try {
                listeners.tell(listener -> listener.removed(task.id()));
            } catch (OutOfMemoryError ex) {
                // It is forgotten all the same.
            }
        }
    }

    private void giveBack(TaskId id) {
        try {
            ids.giveBack(id);
        } catch (OutOfMemoryError ex) {
            // A number is lost.
        }
    }

    /** Forgets everything; the scheduler has been shut down. Names the one-time tasks that a pause has kept from running. */
    public void clear(Consumer<Runnable> neverRan) {
        for (RegisteredTask task : tasks.values()) {
            if (task.future().giveUpIfHeld()) {
                neverRan.accept(task.guarded());
            }
            if (task.isDisabled() || task.future().isDone()) {
                // Nobody else knows of its future.
                boolean ignored = task.future().cancel(false);
            }
            remove(task);
        }
    }

    /** A series may end by itself, unnoticed: so nothing is kept for ever though nobody looks. */
    private void tidyNowAndThen() {
        if (untilTidying.decrementAndGet() == 0) {
            // First: if tidying fails, it is not the last time.
            untilTidying.set(TIDY_AFTER);
            forgetOver();
            untilTidying.set(Math.max(TIDY_AFTER, tasks.size()));
        }
    }

    /** Forgets tasks that are over, but for the last ones that have run and have a name worth keeping. */
    void forgetOver() {
        List<RegisteredTask> over = new ArrayList<>();
        for (RegisteredTask task : tasks.values()) {
            if (task.future().isGone()) {
                if (task.origin() == TaskInfo.Origin.PROGRAMMATIC
                        || task.future().isCancelled()) {
                    remove(task);
                } else {
                    over.add(task);
                }
            }
        }
        if (over.size() > MAX_OVER) {
            over.sort(Comparator.comparingLong(RegisteredTask::lastRunAt).thenComparing(RegisteredTask::id));
            over.subList(0, over.size() - MAX_OVER).forEach(this::remove);
        }
    }

    // Looking

    /** Returns all tasks, those that are over included, in no order. */
    Collection<RegisteredTask> tasks() {
        return tasks.values();
    }

    @Nullable
    RegisteredTask get(String id) {
        return tasks.get(TaskId.given(id));
    }

    int size() {
        return tasks.size();
    }

    long skips(SkipReason reason) {
        return skipsFor(reason).get();
    }

    private AtomicLong skipsFor(SkipReason reason) {
        return switch (reason) {
            case PAUSED -> pausedSkips;
            case RUNNING -> runningSkips;
            case MISSED -> leftOut;
            case FULL -> fullSkips;
        };
    }

    /** Returns about how much is kept: tasks, and names that have several. */
    int footprint() {
        return tasks.size() + ids.size();
    }

    TaskListeners listeners() {
        return listeners;
    }

    // For tasks

    @Nullable
    Supplier<ScheduledFuture<?>> prepare(Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        return timers.prepare(task, schedule, first);
    }

    /** Returns the future of a task that is not enabled. */
    ScheduledFuture<?> inert(Runnable task) {
        return timers.inert(task);
    }

    /** Returns the name of this node if such settings go by it. */
    String nodeFor(TaskSettings settings) {
        return settings.jitterKind() == JitterKind.FIXED ? timers.node() : "";
    }

    ScheduledFuture<?> runNow(Runnable run) {
        return timers.runNow(run);
    }

    RunFailures failures() {
        return timers.failures();
    }

    Runnable decorate(Runnable body) {
        return timers.decorate(body);
    }

    Instant instant() {
        return timers.clock().instant();
    }

    /** Returns the zone of the scheduler's clock. */
    ZoneId zone() {
        return timers.clock().getZone();
    }

    /** Returns the time since the epoch, in nanoseconds; by the system's clock if the scheduler's does not say. */
    long epochNanos() {
        try {
            return EpochNanos.of(instant());
        } catch (Throwable ex) {
            return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        }
    }

    void forceRun(WheelTimer<?> timer) {
        timers.forceRun(timer);
    }

    long nanoTime() {
        return timers.nanoTime();
    }

    /**
     * Passes on that a run has ended. Does not fail.
     *
     * @param startedAt since the epoch, in nanoseconds
     */
    void ran(
            RegisteredTask task,
            long startedAt,
            long nanos,
            long latenessNanos,
            boolean triggered,
            RunOutcome.@Nullable Failure failure,
            boolean overran) {
        try {
            if (!listeners.isEmpty()) {
                RunOutcome outcome = RunOutcome.of(startedAt, nanos, latenessNanos, triggered, failure);
                listeners.tell(listener -> listener.ran(task.id(), outcome, overran));
            }
            TaskWatch watching = watch;
            if (overran && watching != null) {
                watching.overran(task.id(), task.schedule(), nanos);
            }
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: neither is the run's fault.
        }
    }

    /** Passes on that a task has another schedule. Does not fail. */
    void retimed(RegisteredTask task) {
        try {
            listeners.tell(listener -> listener.retimed(task.id()));
        } catch (OutOfMemoryError ex) {
            // It has one all the same.
        }
    }

    /** Passes on that a run has not taken place. Does not fail. */
    void skipped(RegisteredTask task, SkipReason reason) {
        skipsFor(reason).incrementAndGet();
        try {
            listeners.tell(listener -> listener.skipped(task.id(), reason));
        } catch (OutOfMemoryError ex) {
            // It has been counted.
        }
    }

    /** Notes that so many runs have been left out because they were missed, which the timer knows nothing of. */
    void leftOut(long runs) {
        long ignored = leftOut.addAndGet(runs);
    }

    /**
     * Passes on that runs have been missed. Does not fail.
     *
     * @param isWorthAWord whether all before were on time, and the task is not paused
     */
    void missed(RegisteredTask task, long runs, boolean isWorthAWord) {
        try {
            if (!listeners.isEmpty()) {
                listeners.tell(listener -> listener.missed(task.id(), runs));
            }
            TaskWatch watching = watch;
            if (isWorthAWord && watching != null) {
                watching.missed(task.id(), task.schedule(), runs);
            }
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: neither is the task's fault.
        }
    }

    /** Passes on that a task has been paused since so many runs in a row have failed. Does not fail. */
    void pausedAfterFailures(RegisteredTask task, long failures) {
        try {
            listeners.tell(listener -> listener.pausedAfterFailures(task.id(), failures));
            TaskWatch watching = watch;
            if (watching != null) {
                watching.pausedAfterFailures(task.id(), failures);
            }
        } catch (Throwable ex) {
            // As above, or whoever hears the event is broken.
        }
    }

    /** Sets who is told from now on what is worth a word; null for nobody. */
    public void setWatch(@Nullable TaskWatch watch) {
        this.watch = watch;
    }
}
