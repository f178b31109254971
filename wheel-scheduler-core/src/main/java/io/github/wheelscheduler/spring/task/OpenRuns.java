package io.github.wheelscheduler.spring.task;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The runs of one task that have returned and go on. Any thread. */
final class OpenRuns {

    /** In the order in which they started, as one returns before the next one starts. Guarded by this. */
    private final Set<OpenRun> open = new LinkedHashSet<>();

    /** Does not fail: without memory, it is not seen that the run goes on. */
    synchronized void add(OpenRun run) {
        try {
            open.add(run);
        } catch (OutOfMemoryError ex) {
            // As said above.
        }
    }

    synchronized void remove(OpenRun run) {
        boolean ignored = open.remove(run);
    }

    /** Returns when the first of them started; null if there is none. */
    synchronized @Nullable Instant since() {
        return open.isEmpty() ? null : open.iterator().next().startedAt();
    }
}
