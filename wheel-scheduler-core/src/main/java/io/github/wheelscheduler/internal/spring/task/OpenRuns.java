package io.github.wheelscheduler.internal.spring.task;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/** The runs of one task that have returned and go on, as long as code is left that can tell their end. Any thread. */
final class OpenRuns {

    /** Does not keep them alive: an end may get lost on its way, for each run of a task. Guarded by this. */
    private final Set<OpenRun> open = Collections.newSetFromMap(new WeakHashMap<>());

    /** Adds a run. Does not fail. */
    synchronized void add(OpenRun run) {
        try {
            open.add(run);
        } catch (OutOfMemoryError ex) {
            // Without memory, it is not seen that the run goes on.
        }
    }

    synchronized void remove(OpenRun run) {
        boolean ignored = open.remove(run);
    }

    /** Returns when the first of them started; null if there is none. */
    synchronized @Nullable Instant since() {
        OpenRun first = null;
        for (OpenRun run : open) {
            first = first == null || run.startedBefore(first) ? run : first;
        }
        return first == null ? null : first.startedAt();
    }
}
