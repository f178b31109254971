package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskListener;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts the events of tasks, and passes them on to listeners and the log. The first exception of a listener is logged.
 * Neither an exception nor a lack of memory fails a run or a task. Any thread.
 */
public final class TaskEvents {

    /** Applications set levels by this name. */
    private static final Log logger = LogFactory.getLog("io.github.wheelscheduler.spring.task.TaskListeners");

    private final List<TaskListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean listenerFailed = new AtomicBoolean();
    private final SchedulerWarnings warnings;
    private final ObjLongConsumer<String> pauses;

    /** Null before there is an executor. */
    private volatile @Nullable SchedulerObservation observation;

    /** Null before there is a listener. */
    private volatile @Nullable NamedSteering steering;

    /** By reason; needs no memory to be counted up. */
    private final Map<SkipReason, AtomicLong> skips = new EnumMap<>(SkipReason.class);

    /**
     * Creates one without listeners.
     *
     * @param warnings receive the events that may be logged
     * @param pauses called for each task that is paused, with its number of failures
     */
    public TaskEvents(SchedulerWarnings warnings, ObjLongConsumer<String> pauses) {
        this.warnings = warnings;
        this.pauses = pauses;
        for (SkipReason reason : SkipReason.values()) {
            skips.put(reason, new AtomicLong());
        }
    }

    /** Sets the observation that receives events from now on, in place of one that ends. */
    public void observe(SchedulerObservation next) {
        endObservation();
        observation = next;
    }

    /** Logs pending summaries, and ends the thread of the observation, if it has one. */
    public void endObservation() {
        SchedulerObservation current = observation;
        if (current != null) {
            current.watch.stop();
        }
        warnings.sumUp();
    }

    public void add(TaskListener listener) {
        listeners.add(listener);
    }

    public void remove(TaskListener listener) {
        boolean ignored = listeners.remove(listener);
    }

    /** Adds a listener of calls that steer. */
    public synchronized void add(SteeringListener listener) {
        NamedSteering current = steering;
        if (current == null) {
            current = new NamedSteering();
            steering = current;
        }
        current.add(listener);
    }

    public void remove(SteeringListener listener) {
        NamedSteering current = steering;
        if (current != null) {
            current.remove(listener);
        }
    }

    /** Returns the object that notifies listeners of calls that steer; null before there is one. */
    public @Nullable NamedSteering steering() {
        return steering;
    }

    public long skips(SkipReason reason) {
        return counter(reason).get();
    }

    private AtomicLong counter(SkipReason reason) {
        return Objects.requireNonNull(skips.get(reason));
    }

    private void tellAll(TaskSeries task, BiConsumer<TaskListener, String> news) {
        try {
            for (TaskListener listener : listeners) {
                tell(listener, task.id(), news);
            }
        } catch (OutOfMemoryError ex) {
            // There is not even memory to look through the list.
        }
    }

    public void tell(TaskListener listener, String id, BiConsumer<TaskListener, String> news) {
        try {
            news.accept(listener, id);
        } catch (Throwable ex) {
            if (listenerFailed.compareAndSet(false, true)) {
                warn(listener, ex);
            }
        }
    }

    private static void warn(TaskListener listener, Throwable failure) {
        try {
            logger.warn(
                    "A task listener failed; tasks continue, and further failures are not logged. Fix the listener "
                            + NamedTask.of(listener),
                    failure);
        } catch (Throwable ex) {
            // The log is broken, too.
        }
    }

    void added(TaskSeries task) {
        tellAll(task, TaskListener::added);
    }

    void retimed(TaskSeries task) {
        tellAll(task, TaskListener::retimed);
    }

    void rejected(TaskSeries task) {
        tellAll(task, TaskListener::rejected);
    }

    void cancelled(TaskSeries task) {
        tellAll(task, TaskListener::cancelled);
    }

    void removed(TaskSeries task) {
        tellAll(task, TaskListener::removed);
    }

    /** A task comes whose runs are to be interrupted when they take longer than its settings say, if they do. */
    void limited(TaskSettings settings) {
        SchedulerObservation current = observation;
        Duration limit = settings.timeLimit();
        if (current != null && limit != null) {
            current.watch.lookWithin(limit);
        }
    }

    /**
     * A run has ended.
     *
     * @param startedAt since the epoch, in nanoseconds
     */
    void ran(
            TaskSeries task,
            long startedAt,
            long nanos,
            long latenessNanos,
            boolean triggered,
            RunOutcome.@Nullable Failure failure,
            boolean overran,
            @Nullable Throwable thrown) {
        try {
            if (!listeners.isEmpty()) {
                RunOutcome outcome = RunOutcome.of(startedAt, nanos, latenessNanos, triggered, failure);
                tellAll(task, (listener, id) -> listener.ran(id, outcome, overran, thrown));
            }
            if (overran) {
                warnings.overran(task.id(), Duration.ofNanos(nanos), task.schedule());
            }
        } catch (Throwable ex) {
            // There is no memory, or the log is broken.
        }
    }

    /** A run has not taken place. */
    void skipped(TaskSeries task, SkipReason reason) {
        long ignored = counter(reason).incrementAndGet();
        try {
            tellAll(task, (listener, id) -> listener.skipped(id, reason));
        } catch (OutOfMemoryError ex) {
            // It has been counted.
        }
    }

    /** Counts skipped missed runs that the timer does not count. */
    void leftOut(long runs) {
        long ignored = counter(SkipReason.MISSED).addAndGet(runs);
    }

    /**
     * Runs have been missed.
     *
     * @param isWorthAWord whether all before were on time, and the task is not paused
     */
    void missed(TaskSeries task, long runs, boolean isWorthAWord) {
        try {
            if (!listeners.isEmpty()) {
                tellAll(task, (listener, id) -> listener.missed(id, runs));
            }
            if (isWorthAWord) {
                warnings.missed(task.id(), task.schedule(), runs);
            }
        } catch (Throwable ex) {
            // There is no memory, or the log is broken.
        }
    }

    /** A task has been paused after failed runs in a row. */
    void pausedAfterFailures(TaskSeries task, long failures) {
        try {
            tellAll(task, (listener, id) -> listener.pausedAfterFailures(id, failures));
            try {
                warnings.pausedAfterFailures(task.id(), failures);
            } finally {
                pauses.accept(task.id(), failures);
            }
        } catch (Throwable ex) {
            // Memory is short, the log is broken, or a listener of the event is.
        }
    }
}
