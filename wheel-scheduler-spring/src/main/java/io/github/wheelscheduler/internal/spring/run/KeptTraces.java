package io.github.wheelscheduler.internal.spring.run;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many tasks keep the stack trace of their last failure: where very many fail at once, as in an outage,
 * these would take a lot of memory. Any thread.
 */
public final class KeptTraces {

    /** With the longest traces, these are some 16 MB. */
    static final int MOST = 1_000;

    /** The histories with a trace, in a ring. Does not keep them alive, as a task may be over. */
    private final AtomicReferenceArray<@Nullable Reference<RunHistory>> ring = new AtomicReferenceArray<>(MOST);

    private final AtomicInteger next = new AtomicInteger();

    /** Notes that a history keeps a trace from now on. The one that has been here for longest forgets its own. */
    void add(RunHistory history) {
        int place = Math.floorMod(next.getAndIncrement(), MOST);
        Reference<RunHistory> before = ring.getAndSet(place, new WeakReference<>(history));
        RunHistory oldest = before == null ? null : before.get();
        if (oldest != null) {
            oldest.forgetTrace();
        }
    }
}
