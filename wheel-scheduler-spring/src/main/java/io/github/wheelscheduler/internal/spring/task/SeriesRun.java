package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The task of a timer of a series. The first timer of a task without a trigger runs the {@link GuardedTask} itself. */
class SeriesRun implements Runnable, ManagedTask {

    /** The generation of the first timer of a series. */
    static final int FIRST = 0;

    /** Stands for the generation where a run has been asked for, outside of the schedule. */
    static final int TRIGGERED = -1;

    /** No generation. */
    static final int NONE = -2;

    final GuardedTask guard;
    final int generation;
    final TaskRules.@Nullable Pace pace;

    SeriesRun(GuardedTask guard, int generation, TaskRules.@Nullable Pace pace) {
        this.guard = guard;
        this.generation = generation;
        this.pace = pace;
    }

    /** Returns the guarded task, if it is one; otherwise the task itself. */
    static Object behind(Object running) {
        return running instanceof SeriesRun run ? run.guard : running;
    }

    /** Returns whether that is a run outside of the schedule. */
    static boolean isTriggered(Object running) {
        return running instanceof SeriesRun run && run.generation == TRIGGERED;
    }

    @Override
    public void run() {
        guard.run(generation, pace, null);
    }

    @Override
    public @Nullable Pacing pacing() {
        return pace;
    }

    @Override
    public boolean isSteered() {
        return generation != FIRST;
    }

    @Override
    public boolean runsAtOnce() {
        return generation == TRIGGERED;
    }

    @Override
    public void missed(long runs) {
        guard.missed(runs);
    }

    @Override
    public void refused(RejectedExecutionException reason) {
        guard.refused(generation);
    }

    @Override
    public String taskName() {
        return guard.taskName();
    }

    @Override
    public String toString() {
        return taskName();
    }
}
