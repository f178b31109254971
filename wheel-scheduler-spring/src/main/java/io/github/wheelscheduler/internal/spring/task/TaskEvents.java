package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** One class, and not a lambda each, of which the first use needs memory when a call has had its effect. */
    private enum News implements BiConsumer<TaskListener, String> {
        ADDED,
        RETIMED,
        REJECTED,
        CANCELLED,
        REMOVED;

        @Override
        public void accept(TaskListener listener, String id) {
            if (this == ADDED) {
                listener.added(id);
            } else if (this == RETIMED) {
                listener.retimed(id);
            } else if (this == REJECTED) {
                listener.rejected(id);
            } else if (this == CANCELLED) {
                listener.cancelled(id);
            } else {
                listener.removed(id);
            }
        }
    }

    /** Replaced, never changed. Writers: guarded by this. */
    private volatile TaskListener[] listeners = {};

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

    public synchronized void add(TaskListener listener) {
        List<TaskListener> all = new ArrayList<>(List.of(listeners));
        all.add(listener);
        listeners = all.toArray(TaskListener[]::new);
    }

    public synchronized void remove(TaskListener listener) {
        List<TaskListener> all = new ArrayList<>(List.of(listeners));
        boolean ignored = all.remove(listener);
        listeners = all.toArray(TaskListener[]::new);
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
            // There is not even memory for the id.
        }
    }

    public void tell(TaskListener listener, String id, BiConsumer<TaskListener, String> news) {
        try {
            news.accept(listener, id);
        } catch (Throwable ex) {
            failed(listener, ex);
        }
    }

    private void failed(TaskListener listener, Throwable failure) {
        if (listenerFailed.compareAndSet(false, true)) {
            warn(listener, failure);
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
        tellAll(task, News.ADDED);
    }

    void retimed(TaskSeries task) {
        tellAll(task, News.RETIMED);
    }

    void rejected(TaskSeries task) {
        tellAll(task, News.REJECTED);
    }

    void cancelled(TaskSeries task) {
        tellAll(task, News.CANCELLED);
    }

    void removed(TaskSeries task) {
        tellAll(task, News.REMOVED);
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
            CurrentRun run,
            long startedAt,
            long nanos,
            long latenessNanos,
            boolean triggered,
            RunOutcome.@Nullable Failure failure,
            boolean overran,
            @Nullable Throwable thrown) {
        try {
            TaskListener[] all = listeners;
            if (all.length > 0) {
                RunListeners known = run.listeners;
                if (known == null || known.all != all) {
                    known = ofRuns(task.id(), all, known);
                    run.listeners = known;
                }
                RunOutcome outcome = null;
                for (TaskListener listener : known.each) {
                    if (listener instanceof RunEnds ends) {
                        tell(ends, startedAt, nanos, latenessNanos, triggered, failure, thrown);
                    } else {
                        outcome = outcome == null
                                ? RunOutcome.of(startedAt, nanos, latenessNanos, triggered, failure)
                                : outcome;
                        tell(listener, task.id(), outcome, overran, thrown);
                    }
                }
            }
            if (overran) {
                warnings.overran(task.id(), Duration.ofNanos(nanos), task.schedule());
            }
        } catch (Throwable ex) {
            // There is no memory, or the log is broken.
        }
    }

    private void tell(
            TaskListener listener, String id, RunOutcome outcome, boolean overran, @Nullable Throwable thrown) {
        tell(listener, id, (one, same) -> one.ran(same, outcome, overran, thrown));
    }

    /** Makes no object. */
    private void tell(
            RunEnds listener,
            long startedAt,
            long nanos,
            long latenessNanos,
            boolean triggered,
            RunOutcome.@Nullable Failure failure,
            @Nullable Throwable thrown) {
        try {
            listener.ended(startedAt, nanos, latenessNanos, triggered, failure, thrown);
        } catch (Throwable ex) {
            failed(listener, ex);
        }
    }

    /** The listeners of one task. */
    static final class RunListeners {

        /** The listeners of the scheduler for which the others were made. */
        private final TaskListener[] all;

        /** They receive the ends of the task's runs. */
        private final TaskListener[] each;

        private RunListeners(TaskListener[] all, TaskListener[] each) {
            this.all = all;
            this.each = each;
        }

        /** Returns the receiver for a listener, which may say that it equals another one; null if there is none. */
        @SuppressWarnings("ReferenceEquality")
        private @Nullable TaskListener of(TaskListener listener) {
            for (int i = 0; i < all.length; i++) {
                if (all[i] == listener) {
                    return each[i];
                }
            }
            return null;
        }
    }

    private RunListeners ofRuns(String id, TaskListener[] all, @Nullable RunListeners before) {
        TaskListener[] each = all.clone();
        for (int i = 0; i < each.length; i++) {
            int place = i;
            TaskListener known = before == null ? null : before.of(all[i]);
            if (known != null) {
                each[i] = known;
            } else {
                tell(all[i], id, (listener, same) -> each[place] = Objects.requireNonNull(listener.ofRuns(same)));
            }
        }
        return new RunListeners(all, each);
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
            tellAll(task, (listener, id) -> listener.missed(id, runs));
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
