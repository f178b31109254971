package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.spring.task.DaySearch;
import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.internal.spring.task.ProcessorTime;
import io.github.wheelscheduler.internal.spring.task.SurveySearch;
import io.github.wheelscheduler.internal.spring.task.TaskLook;
import io.github.wheelscheduler.internal.spring.task.TaskNames;
import io.github.wheelscheduler.internal.spring.task.TaskSearch;
import io.github.wheelscheduler.internal.spring.task.TaskSeries;
import io.github.wheelscheduler.internal.spring.task.TaskStore;
import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a scheduler on the wheel that have an id, to look at and to steer: tasks of {@code @Scheduled} methods,
 * tasks that repeat, and tasks that have been given a name. One-time tasks without a name are only counted.
 *
 * <p>All methods may be called from any thread, and take effect from the next run on; an active run is not affected. A
 * paused or triggered task keeps its phase.
 */
public final class TaskRegistry {

    private static final Log logger = LogFactory.getLog(TaskRegistry.class);

    private static final Duration MOST_OF_A_DAY = Duration.ofMillis(200);

    private final TaskStore book;
    private volatile TaskLook look = new TaskLook(1, Duration.ofSeconds(1));

    public TaskRegistry(TaskStore book) {
        this.book = book;
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
        synchronized (this) {
            look = new TaskLook(share, shortest, look.past());
        }
    }

    /**
     * Recalls the past of tasks before this process, by their ids: {@link TaskInfo} then has when they last succeeded
     * and failed, even if they have not run since. Other registered tasks keep their past; that of tasks that are gone
     * is dropped.
     */
    public synchronized void recall(Map<String, TaskPast> past) {
        Map<String, TaskPast> all = new HashMap<>(look.past());
        boolean ignored = all.keySet().removeIf(id -> book.get(id) == null);
        all.putAll(past);
        look = new TaskLook(look.share(), look.shortest(), Map.copyOf(all));
    }

    /**
     * Schedules a task under a name, which is its id.
     *
     * @return its future, which stays the same when the task is re-timed
     * @throws IllegalArgumentException if a task of that name is scheduled, the schedule has no time in the future, or
     *     the name is blank, longer than 250 characters or not usable in a path. A path has no control characters,
     *     unpaired surrogates, {@code ;}, {@code %}, {@code \}, {@code //}, slash at an end, or {@code .} or {@code ..}
     *     alone between slashes
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it
     */
    public ScheduledFuture<?> schedule(String name, Runnable task, TaskSchedule schedule) {
        return schedule(name, task, schedule, TaskSettings.NONE);
    }

    /**
     * Schedules a task under a name, with settings. {@linkplain TaskCatalog#override External settings} for that name
     * override them.
     *
     * @return its future, which stays the same when the task is re-timed
     * @throws IllegalArgumentException if a task of that name is scheduled, the name is not allowed, or the schedule
     *     names no time to come
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it
     */
    public ScheduledFuture<?> schedule(String name, Runnable task, TaskSchedule schedule, TaskSettings settings) {
        Objects.requireNonNull(name, "name must not be null");
        Objects.requireNonNull(settings, "settings must not be null");
        Objects.requireNonNull(task, "task must not be null");
        Objects.requireNonNull(schedule, "schedule must not be null");
        TaskNames.check("name", name);
        return book.schedule(name, task, schedule, settings);
    }

    // Looking

    /** Returns how many tasks there are. */
    public int size() {
        book.forgetOver();
        return book.tasks().size();
    }

    /** Returns how many tasks wait for their time, about; the others are running, or over. */
    public int waiting() {
        return (int) book.tasks().stream().filter(TaskLook::isWaiting).count();
    }

    /** Returns how many tasks are overdue. Looks at each task once; no run waits for it. */
    public int overdue() {
        return find(TaskQuery.ALL.in(TaskQuery.Condition.OVERDUE).part(0, 0)).total();
    }

    /**
     * Returns a part of the tasks, in the order of their ids.
     *
     * @param offset the number of tasks to leave out
     * @param limit the maximum number of tasks to return
     * @throws IllegalArgumentException if either is negative
     */
    public List<TaskInfo> list(int offset, int limit) {
        return find(TaskQuery.ALL.part(offset, limit)).tasks();
    }

    /**
     * Finds tasks, and puts them in order. Tasks are read one after the other while they run: one that changes
     * meanwhile may be shown as it is a moment later. No run waits for it.
     *
     * @throws IllegalArgumentException if the query's {@code after} is not of a page in the same order
     */
    public TaskQuery.Page<TaskInfo> find(TaskQuery query) {
        return find(Map.of("", this), query, (name, task) -> task);
    }

    /**
     * Finds tasks of several schedulers, see {@link #find(TaskQuery)}.
     *
     * @param <T> the type in which a task is shown
     * @param registries by the names of the schedulers, in their order
     * @param shown makes one from the name of the scheduler and the task, for the tasks of the page alone
     * @throws IllegalArgumentException if the query's {@code after} is not of a page in the same order
     */
    public static <T> TaskQuery.Page<T> find(
            Map<String, TaskRegistry> registries, TaskQuery query, BiFunction<String, TaskInfo, T> shown) {
        return new TaskSearch(rooms(registries), query).page(shown);
    }

    /**
     * Finds tasks of several schedulers, see {@link #find(Map, TaskQuery, BiFunction)}, and returns the state of the
     * tasks of each scheduler as well. All values of a task come from one reading of it.
     *
     * @param <T> the type in which a task is shown
     * @param most the maximum number of tasks of each sort that are shown of each scheduler
     * @throws IllegalArgumentException if the number is negative, or the query's {@code after} is not of a page in the
     *     same order
     */
    public static <T> TaskSurvey<T> survey(
            Map<String, TaskRegistry> registries, TaskQuery query, BiFunction<String, TaskInfo, T> shown, int most) {
        return new SurveySearch(rooms(registries), query, requireNotNegative(most)).survey(shown);
    }

    private static List<TaskSearch.Room> rooms(Map<String, TaskRegistry> registries) {
        List<TaskSearch.Room> rooms = new ArrayList<>(registries.size());
        registries.forEach((name, registry) -> {
            registry.book.forgetOver();
            rooms.add(new TaskSearch.Room(name, registry.book, registry.look));
        });
        return rooms;
    }

    /**
     * Counts how often tasks of several schedulers start within 24 hours, see {@link TaskDay}. It takes 200 ms of
     * processor time at most, waits for no run, and asks no trigger of a user's own.
     *
     * @param registries by the names of the schedulers
     * @param query of which order and part do not count
     * @param from the begin of the first slot; nothing starts before now
     * @param shown the ids, by the names of schedulers, of tasks whose starts are wanted for each alone
     */
    public static TaskDay day(
            Map<String, TaskRegistry> registries,
            TaskQuery query,
            Instant from,
            Map<String, ? extends Collection<String>> shown) {
        return new DaySearch(rooms(registries), query, from, shown, ProcessorTime.isUpIn(MOST_OF_A_DAY)).day();
    }

    /** Returns the ids of all tasks, in their order. */
    public List<String> ids() {
        book.forgetOver();
        return book.tasks().stream().map(TaskSeries::id).sorted().toList();
    }

    /**
     * Returns the overdue tasks, in the order of their ids, up to the given number.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public List<TaskInfo> overdue(int limit) {
        return find(TaskQuery.ALL.in(TaskQuery.Condition.OVERDUE).part(0, limit))
                .tasks();
    }

    /**
     * Returns the task with that id.
     *
     * @throws UnknownTaskException if there is none
     */
    public TaskInfo get(String id) {
        return look.info(require(id));
    }

    /** Returns the task with that id, if there is one. */
    public Optional<TaskInfo> find(String id) {
        return Optional.ofNullable(book.get(id)).map(look::info);
    }

    /**
     * Returns the tasks that have been paused because of their failures, in the order of their ids, up to the given
     * number.
     */
    public List<String> pausedAfterFailures(int limit) {
        return book.tasks().stream()
                .filter(TaskSeries::isPausedAfterFailures)
                .map(TaskSeries::id)
                .sorted()
                .limit(limit)
                .toList();
    }

    /** Returns the kind of the task with that id, if there is one; reads no more than that. */
    public Optional<TaskInfo.Sort> sortOf(String id) {
        return Optional.ofNullable(book.get(id))
                .map(task -> new TaskInfo.Sort(
                        task.origin, task.isNamed(), task.schedule().isRepeating()));
    }

    private TaskSeries require(String id) {
        TaskSeries task = book.get(id);
        if (task == null) {
            throw new UnknownTaskException(id, size());
        }
        return task;
    }

    /**
     * Returns the stacks of the threads in runs of a task, each for a run that was active during the whole check; empty
     * if there is none. A run that continues after its method has returned is on no thread. This stops the thread for a
     * moment.
     *
     * @throws UnknownTaskException if there is no such task
     */
    public List<TaskInfo.Stack> stacks(String id) {
        return require(id).stacks();
    }

    /**
     * Returns when a task starts by its schedule, up to the given number of times, as if it were not paused and no run
     * took longer than it is to the next. A start that is late is the first one, though it has passed. No trigger of a
     * user's own is asked for this: of that, as of a fixed delay, no more than the next start is known, and none while
     * a run is active. Jitter is that of the next start; the following ones are drawn later.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalArgumentException if the number is negative
     */
    public List<Instant> upcoming(String id, int most) {
        return require(id).upcoming(requireNotNegative(most));
    }

    /**
     * Returns when a task would start, up to the given number of times, if it were {@linkplain #retime re-timed} now;
     * changes nothing. Of a trigger of the user's own, nothing is known.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalArgumentException if the number is negative
     */
    public List<Instant> preview(String id, TaskSchedule schedule, int most) {
        Objects.requireNonNull(schedule, "schedule must not be null");
        return require(id).upcoming(schedule, requireNotNegative(most));
    }

    private static int requireNotNegative(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("most must not be negative, was " + most);
        }
        return most;
    }

    /**
     * Returns where the settings of a task come from, by their names, see {@link TaskCatalog#sourcesOf}.
     *
     * @throws UnknownTaskException if there is no such task
     */
    public Map<String, String> settingSources(String id) {
        return require(id).settingSources();
    }

    /**
     * Returns the newest failure of a task, with its stack trace; of failures within a tenth of a second the first. It
     * stays when later runs succeed.
     *
     * @throws UnknownTaskException if there is no such task
     */
    public Optional<RunOutcome.LastError> lastError(String id) {
        return Optional.ofNullable(require(id).lastError());
    }

    /**
     * Returns the number of runs skipped for that reason since the start. For {@code MISSED}, it counts only
     * runs that timers do not count: instants of crons, and runs skipped by settings of tasks.
     */
    public long skips(SkipReason reason) {
        return book.news.skips(reason);
    }

    /** Returns about how much is kept. */
    int footprint() {
        return book.footprint();
    }

    // Steering

    /**
     * Runs a task now, once, outside of its schedule, on a worker. It never overlaps another run of it: a run that
     * becomes due meanwhile is skipped. A one-time task runs now instead of later, paused or not. Others can be run
     * while paused, and stay so.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is running, has just been triggered, or is over
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it
     */
    public void trigger(String id) {
        steer("trigger", id, TaskSeries::trigger);
    }

    /**
     * Lets runs of a task that become due not take place until it is resumed. A one-time task then runs when it is
     * resumed.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over
     */
    public void pause(String id) {
        steer("pause", id, TaskSeries::pause);
    }

    /**
     * Ends the pause of a task; without effect if it is not paused.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over
     */
    public void resume(String id) {
        steer("resume", id, TaskSeries::resume);
    }

    /**
     * Gives a task another schedule, of any kind. A fixed rate or delay starts one interval from now. A cron without a
     * zone is meant in the one that the task's cron had, or else in the scheduler's; the zone of the task's settings
     * goes over each. A task that repeats by its code and is to run once stays here when that run is over, and can be
     * re-timed or reset then.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over
     * @throws IllegalArgumentException if the schedule names no time to come; nothing has changed
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it; nothing has
     *     changed
     */
    public void retime(String id, TaskSchedule schedule) {
        Objects.requireNonNull(schedule, "schedule must not be null");
        steer("retime", id, task -> task.retime(schedule));
    }

    /**
     * Resets a task to its code and settings, as at the start: its schedule, whether it is enabled, and no pause and no
     * failures to count on from. A fixed rate or delay that was re-timed starts one interval from now.
     *
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if the task is over, or was re-timed and its own time has passed; nothing has
     *     changed
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler does not accept it; nothing has
     *     changed
     */
    public void reset(String id) {
        steer("reset", id, TaskSeries::reset);
    }

    /**
     * Interrupts the active runs of a task. Each call interrupts the thread of a run that is on one. For a reactive
     * method, even after its return, it cancels the subscription if that is known. A thread that has moved on to
     * something else is never interrupted. The code of the run decides how it ends; the next runs take place.
     *
     * @return the number of interrupted runs
     * @throws UnknownTaskException if there is no such task
     * @throws IllegalStateException if there is no active run that can be interrupted
     */
    public int interrupt(String id) {
        NamedSteering steering = book.news.steering();
        return steering == null
                ? steered("interrupt", id).interrupt()
                : steering.steer(
                        "interrupt",
                        Target.ofTask(null, id),
                        () -> stateOf(id),
                        () -> steered("interrupt", id).interrupt());
    }

    private void steer(String action, String id, Consumer<TaskSeries> call) {
        NamedSteering steering = book.news.steering();
        if (steering == null) {
            call.accept(steered(action, id));
            return;
        }
        Object ignored = steering.<@Nullable Object>steer(action, Target.ofTask(null, id), () -> stateOf(id), () -> {
            call.accept(steered(action, id));
            return null;
        });
    }

    /** Returns the state and schedule of a task; null if there is none. */
    private @Nullable String stateOf(String id) {
        return find(id).map(task -> task.state() + " " + task.schedule().kind() + " "
                        + task.schedule().text())
                .orElse(null);
    }

    private TaskSeries steered(String action, String id) {
        StackReserve.askForMore();
        TaskSeries task = require(id);
        if (logger.isDebugEnabled()) {
            logger.debug("Steered by a Java call: " + action + " of task " + task.id());
        }
        return task;
    }

    // Listeners

    /** Reports events of tasks to the listener from now on; existing tasks are reported as added. */
    public void addListener(TaskListener listener) {
        book.news.add(Objects.requireNonNull(listener, "listener must not be null"));
        for (String id : ids()) {
            book.news.tell(listener, id, TaskListener::added);
        }
    }

    /** Tells the listener nothing more. */
    public void removeListener(TaskListener listener) {
        book.news.remove(listener);
    }

    /** Reports the ends of one-time runs without an id to the listener, of tasks that come from now on. */
    public void addOneTimeRunListener(OneTimeRunListener listener) {
        book.note(Objects.requireNonNull(listener, "listener must not be null"));
    }

    /** Tells the listener of one-time runs nothing more. */
    public void removeOneTimeRunListener(OneTimeRunListener listener) {
        book.forget(listener);
    }

    /**
     * Reports calls that steer tasks or the scheduler, and were {@linkplain SteeredBy given a name}, to the listener
     * from now on.
     */
    public void addSteeringListener(SteeringListener listener) {
        book.news.add(Objects.requireNonNull(listener, "listener must not be null"));
    }

    /** Tells the listener of steering nothing more. */
    public void removeSteeringListener(SteeringListener listener) {
        book.news.remove(listener);
    }
}
