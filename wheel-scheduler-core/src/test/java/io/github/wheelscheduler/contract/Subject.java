package io.github.wheelscheduler.contract;

import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

/** What the contract needs to know of an implementation. The contract shuts down every executor it asked for. */
interface Subject {

    /** Returns a new executor that can run at least eight tasks at the same time. */
    ScheduledExecutorService create();

    /** Returns a new executor that runs one task at a time, or nothing where an implementation has no such form. */
    Optional<ScheduledExecutorService> createWithOneWorker();

    /**
     * Returns a new executor all threads of which are made by the factory, and end when they have been idle for a
     * millisecond; nothing where an implementation has more threads than that.
     */
    Optional<ScheduledExecutorService> createWithThreadsOf(ThreadFactory factory);

    /** Returns how many tasks are due and wait for a worker that is free. */
    long countDue(ScheduledExecutorService executor);

    void setExecuteExistingDelayedTasksAfterShutdownPolicy(ScheduledExecutorService executor, boolean execute);

    void setContinueExistingPeriodicTasksAfterShutdownPolicy(ScheduledExecutorService executor, boolean proceed);
}
