package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A task that does not record its runs itself, and the managed task that records them. */
final class AdoptedTask implements Runnable, ManagedTask {

    private final Runnable task;
    private final ManagedTask books;

    AdoptedTask(Runnable task, ManagedTask books) {
        this.task = task;
        this.books = books;
    }

    /** Returns the task that records the runs. */
    static Object behind(Object task) {
        return task instanceof AdoptedTask adopted ? adopted.books : task;
    }

    @Override
    public void run() {
        task.run();
    }

    @Override
    public boolean isSteered() {
        return books.isSteered();
    }

    @Override
    public boolean runsAtOnce() {
        return books.runsAtOnce();
    }

    @Override
    public boolean waitsWhenFull() {
        return books.waitsWhenFull();
    }

    @Override
    public void refused(RejectedExecutionException reason) {
        books.refused(reason);
    }

    @Override
    public void missed(long runs) {
        books.missed(runs);
    }

    @Override
    public @Nullable Pacing pacing() {
        return books.pacing();
    }

    @Override
    public String taskName() {
        return books.taskName();
    }

    @Override
    public String toString() {
        return taskName();
    }
}
