package io.github.wheelscheduler.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a {@link WheelTaskScheduler} that have an id, to look at and to steer: those of {@code @Scheduled} methods,
 * those that repeat, and those that have been given a name. One-time tasks without a name are only counted.
 *
 * <p>All methods may be called from any thread, and take effect from the next run on; a run that is going on is left alone.
 * A paused or triggered task keeps its phase.
 */
public final class TaskRegistry {

    /** So many tasks stay visible when they are over. */
    private static final int MAX_OVER = 100;

    /** After so many tasks have come, or as many as there were, those that are over are forgotten. */
    private static final int TIDY_AFTER = 1_000;

    private static final double DEFAULT_GRACE_SHARE = 1.0;
    private static final Duration DEFAULT_SHORTEST_GRACE = Duration.ofSeconds(1);

    private final TaskTimers timers;
    private final Executor executor;
    private final Map<String, RegisteredTask> tasks = new ConcurrentSkipListMap<>();

    private final TaskIds ids = new TaskIds();

    /** How many tasks may still come before those that are over are forgotten. */
    private final AtomicInteger untilTidying = new AtomicInteger(TIDY_AFTER);

    private final TaskListeners listeners = new TaskListeners();
    private volatile @Nullable OverrunListener overrunListener;
    // They need no memory to be counted up.
    private final AtomicLong pausedSkips = new AtomicLong();
    private final AtomicLong runningSkips = new AtomicLong();
    private volatile Grace grace = new Grace(DEFAULT_GRACE_SHARE, DEFAULT_SHORTEST_GRACE);

    /**
     * How late a task may be before it counts as overdue.
     *
     * @param share of its interval
     * @param shortest however short the interval is
     */
    record Grace(double share, Duration shortest) {

        boolean isOverdue(Duration lateBy, TaskSchedule schedule, Instant now) {
            if (lateBy.compareTo(shortest) <= 0) {
                return false;
            }
            Duration interval = schedule.intervalAfter(now);
            return interval == null || lateBy.toNanos() > share * TimeUnit.NANOSECONDS.convert(interval);
        }
    }

    TaskRegistry(TaskTimers timers, Executor executor) {
        this.timers = timers;
        this.executor = executor;
    }

    /**
     * Sets how late a task may be before it counts as overdue: by that share of its interval, and at least by
     * {@code shortest}. By default one interval, and a second.
     *
     * @throws IllegalArgumentException if either is negative
     */
    public void setOverdueGrace(double share, Duration shortest) {
        if (!(share >= 0)) {
            throw new IllegalArgumentException("share must not be negative, was " + share);
        }
        if (shortest.isNegative()) {
            throw new IllegalArgumentException("shortest must not be negative, was " + shortest);
        }
        grace = new Grace(share, shortest);
    }

    // Adding

    /**
     * Schedules a task under a name, which is its id.
     *
     * @return its future, which stays the same when the task is re-timed
     * @throws IllegalArgumentException if a task of that name is scheduled, or the schedule names no time to come
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it
     */
    public ScheduledFuture<?> schedule(String name, Runnable task, TaskSchedule schedule) {
        Objects.requireNonNull(task, "task must not be null");
        Objects.requireNonNull(schedule, "schedule must not be null");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, was '" + name + "'");
        }
        tidyNowAndThen();
        RegisteredTask registered = newTask(name, task, TaskInfo.Origin.NAMED, schedule);
        if (!put(registered, TaskId.given(name))) {
            throw new IllegalArgumentException("name must not be that of a task which is scheduled, was " + name);
        }
        Instant first = schedule instanceof TaskSchedule.Once once ? once.at() : null;
        ScheduledFuture<?> armed = armOrForget(registered, first);
        if (armed == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was " + schedule.text());
        }
        return armed;
    }

    /** Schedules a task that brings no name; null if a trigger names no instant. */
    @Nullable
    ScheduledFuture<?> add(Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        boolean isRegistrars = TaskNames.isRegistrars(task);
        TaskInfo.Origin origin = isRegistrars ? TaskInfo.Origin.ANNOTATED : TaskInfo.Origin.PROGRAMMATIC;
        tidyNowAndThen();
        String name = TaskNames.of(task);
        RegisteredTask registered = newTask(name, task, origin, schedule);
        boolean isPut = false;
        try {
            putUnderFreeId(registered, name);
            isPut = true;
        } finally {
            if (!isPut) {
                // Its name must not be taken by what never gets a timer.
                remove(registered);
            }
        }
        return armOrForget(registered, first);
    }

    private RegisteredTask newTask(String name, Runnable task, TaskInfo.Origin origin, TaskSchedule schedule) {
        FailureRecorder failures =
                new FailureRecorder(timers.errorHandler(name, true), timers.errorHandler(name, false));
        return new RegisteredTask(this, task, origin, schedule, failures);
    }

    private void putUnderFreeId(RegisteredTask task, String name) {
        int ordinal = ids.firstFree(name);
        while (!put(task, new TaskId(name, ordinal))) {
            ordinal++;
        }
        ids.take(name, ordinal);
    }

    /** False if a task that is not over has that id. */
    private boolean put(RegisteredTask task, TaskId id) {
        task.setId(id);
        RegisteredTask other = tasks.putIfAbsent(task.id(), task);
        return other == null || (other.isDone() && tasks.replace(task.id(), other, task));
    }

    /** Listeners hear of the task before its first run. */
    private @Nullable ScheduledFuture<?> armOrForget(RegisteredTask task, @Nullable Instant first) {
        boolean isArmed = false;
        try {
            listeners.tell(listener -> listener.added(task.id()));
            isArmed = task.armFirst(first);
        } finally {
            if (!isArmed) {
                remove(task);
            }
        }
        return isArmed ? task : null;
    }

    /** Forgets a task that has been cancelled. */
    void remove(RegisteredTask task) {
        if (tasks.remove(task.id(), task)) {
            try {
                ids.free(task.taskId());
                listeners.tell(listener -> listener.removed(task.id()));
            } catch (OutOfMemoryError ex) {
                // It is forgotten; where to look for a free number is only a hint.
            }
        }
    }

    /** Forgets everything; the scheduler has been shut down. Names the one-time tasks that a pause has kept from running. */
    void clear(Consumer<Runnable> neverRan) {
        for (RegisteredTask task : tasks.values()) {
            if (task.giveUpIfHeld()) {
                neverRan.accept(task.guarded().task());
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
    private void forgetOver() {
        Deque<RegisteredTask> over = new ArrayDeque<>();
        for (RegisteredTask task : tasks.values()) {
            if (task.isDone()) {
                if (task.origin() == TaskInfo.Origin.PROGRAMMATIC || task.isCancelled()) {
                    remove(task);
                } else {
                    over.add(task);
                }
            }
        }
        while (over.size() > MAX_OVER) {
            remove(over.remove());
        }
    }

    // Looking

    /** Returns how many tasks there are. */
    public int size() {
        forgetOver();
        return tasks.size();
    }

    /** Returns how many tasks wait for their time, about; the others are running, or over. */
    public int waiting() {
        return (int) tasks.values().stream().filter(RegisteredTask::isWaiting).count();
    }

    /**
     * Returns a part of the tasks, in the order of their ids.
     *
     * @param offset how many to leave out
     * @param limit how many to return at most
     * @throws IllegalArgumentException if either is negative
     */
    public List<TaskInfo> list(int offset, int limit) {
        if (offset < 0 || limit < 0) {
            throw new IllegalArgumentException(
                    "offset and limit must not be negative, were " + offset + " and " + limit);
        }
        forgetOver();
        Grace current = grace;
        return tasks.values().stream()
                .skip(offset)
                .limit(limit)
                .map(task -> task.info(current))
                .toList();
    }

    /** Returns the ids of all tasks, in their order. */
    public List<String> ids() {
        forgetOver();
        return new ArrayList<>(tasks.keySet());
    }

    /** Returns the tasks that are overdue, in the order of their ids, at most so many. */
    public List<TaskInfo> overdue(int limit) {
        Grace current = grace;
        return tasks.values().stream()
                .map(task -> task.info(current))
                .filter(TaskInfo::overdue)
                .limit(limit)
                .toList();
    }

    /**
     * Returns the task with that id.
     *
     * @throws UnknownTaskException if there is none
     */
    public TaskInfo get(String id) {
        return require(id).info(grace);
    }

    /** Returns the task with that id, if there is one. */
    public Optional<TaskInfo> find(String id) {
        RegisteredTask task = tasks.get(id);
        return task == null ? Optional.empty() : Optional.of(task.info(grace));
    }

    private RegisteredTask require(String id) {
        RegisteredTask task = tasks.get(id);
        if (task == null) {
            throw new UnknownTaskException(id, size());
        }
        return task;
    }

    /** Returns how many runs did not take place for that reason since the start; {@code MISSED} ones are not counted here. */
    public long skips(SkipReason reason) {
        return switch (reason) {
            case PAUSED -> pausedSkips.get();
            case RUNNING -> runningSkips.get();
            case MISSED -> 0;
        };
    }

    /** Returns about how much is kept: tasks, and names that have several. */
    int footprint() {
        return tasks.size() + ids.size();
    }

    // Steering

    /**
     * Runs a task now, once, outside of its schedule, on a worker. It never overlaps another run of it: a run that becomes due
     * meanwhile is skipped. A one-time task runs now instead of later. A paused task can be run, and stays paused.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is running, or over
     */
    public void trigger(String id) {
        require(id).trigger();
    }

    /**
     * Lets runs of a task that become due not take place until it is resumed. A one-time task then runs when it is resumed.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over
     */
    public void pause(String id) {
        require(id).pause();
    }

    /**
     * Ends the pause of a task; without effect if it is not paused.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over
     */
    public void resume(String id) {
        require(id).resume();
    }

    /**
     * Gives a task another schedule, of any kind. A fixed rate or delay starts one interval from now.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over
     * @throws IllegalArgumentException if the schedule names no time to come; nothing has changed
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it; nothing has changed
     */
    public void retime(String id, TaskSchedule schedule) {
        require(id).retime(Objects.requireNonNull(schedule, "schedule must not be null"));
    }

    // For tasks

    @Nullable
    ScheduledFuture<?> arm(GuardedTask task, TaskSchedule schedule, @Nullable Instant first) {
        return timers.arm(task, schedule, first);
    }

    void execute(Runnable run) {
        executor.execute(run);
    }

    Instant instant() {
        return timers.clock().instant();
    }

    /** Returns the time since the epoch, in nanoseconds; by the system's clock if the scheduler's does not say. */
    long epochNanos() {
        try {
            return RunOutcome.epochNanos(instant());
        } catch (Throwable ex) {
            return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        }
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
            OverrunListener warned = overrunListener;
            if (overran && warned != null) {
                warned.overran(task, nanos);
            }
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: neither is the run's fault.
        }
    }

    /** Passes on that a run has not taken place. Does not fail. */
    void skipped(RegisteredTask task, SkipReason reason) {
        (reason == SkipReason.PAUSED ? pausedSkips : runningSkips).incrementAndGet();
        try {
            listeners.tell(listener -> listener.skipped(task.id(), reason));
        } catch (OutOfMemoryError ex) {
            // It has been counted.
        }
    }

    // Listeners

    /** Is told of runs that take longer than it is to the next one. */
    interface OverrunListener {

        void overran(RegisteredTask task, long nanos);
    }

    void setOverrunListener(@Nullable OverrunListener overrunListener) {
        this.overrunListener = overrunListener;
    }

    /** Tells the listener from now on what becomes of tasks; those that are there already are told as added. */
    public void addListener(TaskListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
        for (String id : ids()) {
            listeners.tell(listener, told -> told.added(id));
        }
    }

    /** Tells the listener nothing more. */
    public void removeListener(TaskListener listener) {
        listeners.remove(listener);
    }
}
