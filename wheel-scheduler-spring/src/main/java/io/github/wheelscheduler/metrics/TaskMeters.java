package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.internal.meter.MeterGroup;
import io.github.wheelscheduler.internal.meter.MeterGroup.FirstFailure;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/** Meters for single tasks of one scheduler in one registry; for not too many of them. */
final class TaskMeters implements TaskListener {

    /*
     * Which tasks get meters: tasks of @Scheduled methods, and tasks that repeat and were given a name. The names of
     * all others are generated at run time, without a bound. The user's exclusions come before all that.
     *
     * Also of these, no more than the limit have meters at a time. Tasks that come later wait until one goes. And since
     * tasks with ever new names may come and go, only so many names get meters at all: when these are used up, a name
     * that has had none does not wait for a place, so that very many of them cost nothing.
     *
     * News of one task may overtake each other on the way here. So "added" and "removed" both mean only: read the
     * current content of the registry. The last reader sees the final state.
     *
     * Meters are registered and removed under no lock, as the registry calls its filters and listeners, which are the
     * user's, under a lock of its own, and they may schedule tasks. So one thread at a time looks at the tasks that
     * have changed, and others leave theirs to it:
     *
     *      a thread with news               the one that looks
     *   1  add the id                    1  take an id, look
     *   2  looking = true by CAS,        2  there is none: looking = false
     *      or leave it                   3  there is one: looking = true by CAS, and so on
     */

    /** So many names per place. */
    private static final int NAMES_PER_PLACE = 10;

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    private final WheelTaskScheduler scheduler;
    private final TaskRegistry tasks;
    private final int limit;
    private final Predicate<String> included;
    private final MeterGroup group;

    /** Tasks of which there is news. Writers: any. */
    private final Queue<String> changed = new ConcurrentLinkedQueue<>();

    /** Those in the queue, each of which is there once. Removed before it is looked at. */
    private final Set<String> isChanged = ConcurrentHashMap.newKeySet();

    /** Whether a thread looks at tasks, which alone uses the fields that say so. */
    private final AtomicBoolean looking = new AtomicBoolean();

    /** Writer: the thread that looks. Readers: the threads of runs. */
    private final Map<String, MeteredTask> metered = new ConcurrentHashMap<>();

    /** Tasks for which there was no place, the first one first. Only the thread that looks. */
    private final Set<String> waiting = new LinkedHashSet<>();

    /** All names that have had meters. Only the thread that looks. */
    private final Set<String> used = new HashSet<>();

    /** Whether the exhausted name limit has been logged. Only the thread that looks. */
    private boolean isUsedUpSaid;

    /** Writer: the thread that removes the meters. Readers: threads that look. */
    private volatile boolean removed;

    TaskMeters(WheelTaskScheduler scheduler, int limit, Predicate<String> included, MeterGroup group) {
        this.scheduler = scheduler;
        this.tasks = scheduler.getTaskRegistry();
        this.limit = limit;
        this.included = included;
        this.group = group;
    }

    /** Registers how many tasks have meters, how many have not, and how many are overdue. */
    void registerCounts() {
        group.gauge(MeterNames.TASKS_OVERDUE, BaseUnits.TASKS, this, source -> source.tasks.overdue());
        group.tagged(MeterNames.TAG_METERED, "true")
                .gauge(MeterNames.TASKS, BaseUnits.TASKS, this, source -> source.metered.size());
        group.tagged(MeterNames.TAG_METERED, "false")
                .gauge(
                        MeterNames.TASKS,
                        BaseUnits.TASKS,
                        this,
                        source -> Math.max(0, source.tasks.size() - source.metered.size()));
    }

    @Override
    public void added(String id) {
        look(id);
    }

    @Override
    public void retimed(String id) {
        look(id);
    }

    @Override
    public void removed(String id) {
        look(id);
    }

    @Override
    public void ran(String id, RunOutcome outcome, boolean overran) {
        MeteredTask task = metered.get(id);
        if (task != null) {
            task.ran(outcome, overran);
        }
    }

    @Override
    public void missed(String id, long runs) {
        MeteredTask task = metered.get(id);
        if (task != null) {
            task.missed(runs);
        }
    }

    private void look(String id) {
        if (isChanged.add(id)) {
            boolean isQueued = false;
            try {
                isQueued = changed.add(id);
            } finally {
                if (!isQueued) {
                    boolean ignored = isChanged.remove(id);
                }
            }
        }
        lookAtChanged();
    }

    /** Looks at all that has changed, unless another thread does. Throws the first failure, after the last task. */
    private void lookAtChanged() {
        FirstFailure failure = new FirstFailure();
        while ((!changed.isEmpty() || (removed && !metered.isEmpty())) && looking.compareAndSet(false, true)) {
            try {
                for (String id = changed.poll(); id != null; id = changed.poll()) {
                    String next = id;
                    boolean ignored = isChanged.remove(next);
                    failure.keep(() -> lookAt(next, failure));
                }
                if (removed) {
                    removeAll(failure);
                }
            } finally {
                looking.set(false);
            }
        }
        failure.throwIfAny();
    }

    private void lookAt(String id, FirstFailure failure) {
        TaskInfo.Sort sort = tasks.sortOf(id).orElse(null);
        if (sort == null || !isToBeMetered(id, sort)) {
            boolean ignored = waiting.remove(id);
            MeteredTask gone = metered.remove(id);
            if (gone != null) {
                failure.keep(gone::remove);
                letOthersIn(failure);
            }
        } else if (!removed) {
            MeteredTask present = metered.get(id);
            if (present != null) {
                present.setRepeating(sort.repeating());
            } else if (!mayUse(id)) {
                sayUsedUp();
            } else {
                waiting.add(id);
                letOthersIn(failure);
            }
        }
    }

    private boolean isToBeMetered(String id, TaskInfo.Sort sort) {
        return included.test(id) && (sort.origin() == TaskInfo.Origin.ANNOTATED || (sort.named() && sort.repeating()));
    }

    private boolean mayUse(String name) {
        return used.contains(name) || used.size() < (long) limit * NAMES_PER_PLACE;
    }

    /**
     * Gives each free place to the task that has waited longest, which leaves if it has gone, or if its meters are
     * refused. While all go, none gets one.
     */
    private void letOthersIn(FirstFailure failure) {
        if (scheduler.getWheelScheduledExecutor().isShutdown()) {
            waiting.clear();
        }
        Iterator<String> ids = waiting.iterator();
        while (ids.hasNext() && metered.size() < limit && !removed) {
            String id = ids.next();
            ids.remove();
            failure.keep(() -> letIn(id));
        }
    }

    private void letIn(String id) {
        boolean isThere =
                tasks.sortOf(id).filter(sort -> isToBeMetered(id, sort)).isPresent();
        if (isThere && !mayUse(id)) {
            sayUsedUp();
        } else if (isThere) {
            tasks.find(id).ifPresent(task -> {
                metered.put(id, MeteredTask.register(task, group));
                used.add(id);
            });
        }
    }

    private void sayUsedUp() {
        if (!isUsedUpSaid && limit > 0) {
            isUsedUpSaid = true;
            LOGGER.log(
                    Level.WARNING,
                    "Further task names of " + group.tags() + " get no meters: " + used.size()
                            + " names have had meters, " + NAMES_PER_PLACE
                            + " times wheel.scheduler.metrics.max-tasks. Exclude names with"
                            + " wheel.scheduler.metrics.tasks.exclude, or raise that limit. The meter "
                            + MeterNames.TASKS + " with " + MeterNames.TAG_METERED
                            + "=false counts the tasks without meters; the endpoint wheelscheduler lists them");
        }
    }

    /**
     * Removes the meters of all tasks; none will come any more. If another thread looks at tasks just then, that thread
     * removes them.
     */
    void remove() {
        removed = true;
        lookAtChanged();
    }

    private void removeAll(FirstFailure failure) {
        waiting.clear();
        Iterator<MeteredTask> all = metered.values().iterator();
        while (all.hasNext()) {
            MeteredTask gone = all.next();
            all.remove();
            failure.keep(gone::remove);
        }
    }
}
