package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.internal.spring.task.RunEnds;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskPast;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Recalls, for the tasks of a scheduler that come, when they last ran before this process, and tells which runs their
 * schedules say were missed since. The database is asked on another thread, for many tasks at once; if it does not
 * answer, nothing is recalled. Any thread.
 */
final class HistoryMemory implements TaskListener {

    private static final Log LOGGER = LogFactory.getLog(HistoryMemory.class);

    /** A task that comes later may not have been scheduled while no node was up. */
    private static final Duration START = Duration.ofMinutes(2);

    /** In which further tasks come, so that all are asked for at once. */
    private static final long GATHER_MILLIS = 300;

    /** The maximum number of tasks that are asked for at once. */
    private static final int MOST_AT_ONCE = 10_000;

    /** The maximum number of tasks that wait while the database does not answer; nothing is recalled for others. */
    private static final int MOST = 100_000;

    private final WheelTaskScheduler scheduler;
    private final String name;
    private final HistoryEngine history;
    private final MissedAtStart missed;
    private final Instant started;
    private final ThreadOrigin origin = new ThreadOrigin();
    private final BlockingQueue<String> came = new LinkedBlockingQueue<>(MOST);
    private final AtomicBoolean isAsking = new AtomicBoolean();

    // Only the thread that recalls uses them.

    /** The crons whose missed runs are to be looked for, also ones for which the database has not answered. */
    private final Set<String> toLookFor = new HashSet<>();

    /** The ones whose missed runs have been looked for. */
    private final Set<String> lookedFor = new HashSet<>();

    /**
     * Makes one.
     *
     * @param name of the scheduler in the rows
     * @param missed keeps missed runs for the findings
     */
    HistoryMemory(WheelTaskScheduler scheduler, String name, HistoryEngine history, MissedAtStart missed) {
        this.scheduler = scheduler;
        this.name = name;
        this.history = history;
        this.missed = missed;
        this.started = scheduler.getClock().instant();
    }

    @Override
    public void added(String id) {
        boolean ignored = came.offer(id);
        ask();
    }

    @Override
    public TaskListener ofRuns(String id) {
        return (RunEnds) (startedAt, nanos, latenessNanos, triggered, failure, thrown) -> missed.ran(scheduler, id);
    }

    @Override
    public void removed(String id) {
        missed.ran(scheduler, id);
    }

    private void ask() {
        if (isAsking.compareAndSet(false, true)) {
            try {
                origin.newDaemon(this::recallAll, "wheel-history-recall").start();
            } catch (OutOfMemoryError ex) {
                // There are too many threads; the next task tries again.
                isAsking.set(false);
            }
        }
    }

    private void recallAll() {
        try {
            String first = came.poll(GATHER_MILLIS, TimeUnit.MILLISECONDS);
            while (first != null) {
                List<String> ids = new ArrayList<>(List.of(first));
                String next = came.poll(GATHER_MILLIS, TimeUnit.MILLISECONDS);
                while (next != null) {
                    ids.add(next);
                    next = ids.size() < MOST_AT_ONCE ? came.poll(1, TimeUnit.MILLISECONDS) : null;
                }
                recall(ids);
                first = came.poll();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            isAsking.set(false);
        }
        if (!came.isEmpty()) {
            ask();
        }
    }

    private void recall(List<String> ids) {
        TaskRegistry tasks = scheduler.getTaskRegistry();
        noteCrons(ids, tasks);
        try {
            Map<String, TaskPast> past = new HashMap<>();
            List<String> present =
                    ids.stream().filter(id -> tasks.find(id).isPresent()).toList();
            history.reader()
                    .summaries(present)
                    .forEach((id, summary) -> past.put(id, new TaskPast(summary.lastSuccess(), summary.lastFailure())));
            tasks.recall(past);
            if (!toLookFor.isEmpty()) {
                look(tasks);
            }
        } catch (RuntimeException ex) {
            LOGGER.debug(
                    "The last runs of tasks could not be read from the history, so times from before the start "
                            + "are missing",
                    ex);
        }
    }

    /** Once each: a task that comes again has missed nothing meanwhile. */
    private void noteCrons(List<String> ids, TaskRegistry tasks) {
        Duration age = Duration.between(started, scheduler.getClock().instant());
        if (age.compareTo(START) >= 0) {
            toLookFor.clear();
            lookedFor.clear();
            return;
        }
        for (String id : ids) {
            if (!lookedFor.contains(id)
                    && tasks.find(id).filter(task -> task.schedule().isCron()).isPresent()) {
                boolean ignored = toLookFor.add(id);
            }
        }
    }

    private void look(TaskRegistry tasks) {
        Map<String, Long> found =
                history.noteMissed(name, tasks, toLookFor, scheduler.getClock().getZone());
        boolean ignored = lookedFor.addAll(toLookFor);
        toLookFor.clear();
        found.forEach((id, runs) ->
                tasks.find(id).filter(task -> task.runs() == 0).ifPresent(task -> missed.note(scheduler, id, runs)));
    }
}
