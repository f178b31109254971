package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskInfo;
import org.jspecify.annotations.Nullable;

/**
 * A task as seen by searches: values that several of them need are computed once, and only on demand. It takes no lock
 * that a run takes. One thread.
 */
final class SearchedTask {

    final TaskSeries task;
    private final TaskLook look;
    private final long nowNanos;
    private final TaskInfo.State state;
    private boolean isLatenessKnown;
    private @Nullable Long lateSinceNanos;

    /**
     * Looks at a task.
     *
     * @param look decides what is overdue
     * @param nowNanos on the clock of timers
     */
    SearchedTask(TaskSeries task, TaskLook look, long nowNanos) {
        this.task = task;
        this.look = look;
        this.nowNanos = nowNanos;
        this.state = TaskLook.state(task);
    }

    /** Returns the state that {@link TaskLook#info} would report, without the history of runs. */
    TaskInfo.State state() {
        return TaskLook.shown(state, task.guard().openSince());
    }

    /** Whether it has a timer that waits for its time. */
    boolean isWaiting() {
        return TaskLook.isWaiting(state, task);
    }

    boolean isFailing() {
        return task.guard().isFailing();
    }

    /** Whether {@link TaskLook#info} would call it overdue. */
    boolean isOverdue() {
        Long sinceNanos = lateSinceNanos();
        return sinceNanos != null && look.isOverdueBy(nowNanos - sinceNanos, task);
    }

    /** Returns when the next run is due, on the clock of timers; null as long as no timer waits for that. */
    @Nullable
    Long nextNanos() {
        return TaskLook.nextNanos(state, task);
    }

    /** Returns since when the next run has been late, on the clock of timers; null if it is not. */
    @Nullable
    Long lateSinceNanos() {
        if (!isLatenessKnown) {
            lateSinceNanos = TaskLook.lateSinceNanos(state, task, nowNanos);
            isLatenessKnown = true;
        }
        return lateSinceNanos;
    }
}
