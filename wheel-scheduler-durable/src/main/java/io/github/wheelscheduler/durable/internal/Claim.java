package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.internal.trace.Traceparent;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A row that this node has claimed. It waits until it is due, runs, and ends in the database; {@link ClaimedTasks} has
 * its state.
 */
final class Claim {

    /** In the order in which they are due. */
    static final Comparator<Claim> BY_TIME = Comparator.comparing(Claim::dueAt).thenComparing(Claim::key);

    private final TaskRow row;
    private final long owner;

    /** Null if it has not come with the row, and has not been read. Writer: who is about to run it. */
    byte @Nullable [] payload;

    /** Whether this node has been asked to end it. */
    volatile boolean isAskedToEnd;

    /** Whether its handler has thrown, so that what it has thrown decides whether it is tried again. Its run. */
    boolean hasThrown;

    /** Names the span of its run; null for none. Its run, and who writes its end. */
    @Nullable
    String traceparent;

    /** The failure of its run; null if it has not failed. Its run. */
    @Nullable
    Throwable failure;

    /** Whether the database has not answered the commit of its run. Its run. */
    boolean isUnanswered;

    /** When its run has begun. Guarded by {@link ClaimedTasks}. */
    long startNanos;

    /** @param owner the incarnation that has claimed it */
    Claim(TaskRow row, long owner) {
        this.row = row;
        this.owner = owner;
        this.payload = row.payload();
    }

    TaskRow row() {
        return row;
    }

    RowKey key() {
        return row.key();
    }

    Instant dueAt() {
        return row.dueAt();
    }

    long owner() {
        return owner;
    }

    /** Returns how it has ended without a run. */
    DurableEnd ended(DurableEnd.Kind kind) {
        return new DurableEnd(kind, handlerOfEnd(), key().id(), row.attempt() - 1, null, null, null);
    }

    /** Returns how its run has ended. */
    DurableEnd ran(
            DurableEnd.Kind kind, @Nullable Instant nextAt, @Nullable String reason, @Nullable Throwable thrown) {
        return new DurableEnd(kind, handlerOfEnd(), key().id(), row.attempt(), nextAt, reason, thrown);
    }

    private String handlerOfEnd() {
        return row.made() == null ? key().handler() : handlerName();
    }

    String handlerName() {
        return row.handlerName();
    }

    /** Returns the same as {@link #toString} and the id of the trace of its run, for lines outside of the run's scope. */
    String withTrace() {
        String traceId = Traceparent.traceIdOf(traceparent);
        return traceId == null ? toString() : this + " (trace " + traceId + ")";
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return row.toString();
    }
}
