package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.internal.journal.EndNotes;
import io.github.wheelscheduler.durable.internal.journal.NotedEnd;
import io.github.wheelscheduler.durable.internal.journal.RunFacts;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
import io.github.wheelscheduler.durable.internal.trace.Traceparent;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import java.time.Duration;
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

    /** When its run has begun, by the database's clock; null if it has not. Its run, and who writes its end. */
    @Nullable
    Instant startedAt;

    /** The length of its run; negative if it has not ended. Its run, and who writes its end. */
    long lengthNanos = -1;

    /** Why it has not run, as a history notes it; null if it has, or is to run later. Its worker. */
    EndNote.@Nullable Kind unrun;

    /** The note of its end, once a statement is to write that with its row. The writer of its end. */
    @Nullable
    NotedEnd noted;

    /** The number of runs that were left out. Its worker. */
    long missedRuns = 1;

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

    /** Returns what a history notes when it has ended; null if that is nothing. */
    @Nullable
    EndNote noteOf(EndNotes notes, @Nullable DurableEnd end) {
        DurableEnd told = told(end);
        if (end != null && told != null) {
            return notes.of(told, facts());
        }
        EndNote.Kind kind = told != null ? EndNote.Kind.CANCELLED : unrun;
        return kind == null
                ? null
                : notes.ofUnrun(
                        kind,
                        handlerOfEnd(),
                        key().id(),
                        row.attempt() - 1,
                        told == null ? missedRuns : 1,
                        facts(),
                        told == null ? failure : null);
    }

    /**
     * Returns the end that listeners receive; null for none. Where a cancel has reached the row, the statement that was
     * to let it run again, or to keep it, has ended it.
     */
    @Nullable
    DurableEnd told(@Nullable DurableEnd end) {
        if (!isAskedToEnd || (end != null && !RowEnd.keepsRow(end))) {
            return end;
        }
        return end == null
                ? ended(DurableEnd.Kind.CANCELLED)
                : ran(DurableEnd.Kind.CANCELLED, null, null, end.thrown());
    }

    /** Returns the facts that are known of its run. */
    RunFacts facts() {
        Duration length = lengthNanos < 0 ? null : Duration.ofNanos(lengthNanos);
        return new RunFacts(row.dueAt(), startedAt, length, cause(), Traceparent.traceIdOf(traceparent));
    }

    private EndNote.Cause cause() {
        RowOrigin origin = row.origin();
        boolean isRecurring = row.isRecurring();
        if (row.failures() > 0 && !(isRecurring && row.made() == null)) {
            return EndNote.Cause.RETRY;
        }
        boolean isRetriedByHand = !isRecurring && row.earlierAttempts() > 0;
        if (isRetriedByHand || (origin != null && origin.isByHand())) {
            return EndNote.Cause.BY_HAND;
        }
        return isRecurring && startedAt != null && Handler.isTooLate(row.dueAt(), startedAt)
                ? EndNote.Cause.CAUGHT_UP
                : EndNote.Cause.SCHEDULE;
    }

    private String handlerOfEnd() {
        return key().handler().equals(Handler.RECURRING) ? Handler.RECURRING : handlerName();
    }

    String handlerName() {
        return row.handlerName();
    }

    /**
     * Returns the same as {@link #toString} and the id of the trace of its run, for lines outside of the run's scope.
     */
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
