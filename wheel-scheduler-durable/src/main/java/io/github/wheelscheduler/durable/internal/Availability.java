package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Whether the database answers, and takes changes; each turn of that is logged once. Any thread. */
public final class Availability {

    private final LongSupplier nanoClock;

    /** Null while all is well. */
    private final AtomicReference<@Nullable Problem> problem = new AtomicReference<>();

    /** The refused calls, each with the reason; they are repeated. Guarded by itself. */
    private final IdentityHashMap<Object, Problem> refusals = new IdentityHashMap<>();

    /** The last of them, since the first; null while nothing is refused. Guarded by the map when it is written. */
    private volatile @Nullable Problem refusal;

    /**
     * It does not answer, or refuses changes.
     *
     * @param last the latest failure
     * @param sinceNanos the time of the first failure
     */
    private record Problem(Throwable last, long sinceNanos) {}

    Availability(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Takes in that a call which only reads has failed. Calls which change something say whether changes are refused.
     */
    void isAway(Throwable ex) {
        isAway(ex, null);
    }

    /**
     * Takes in that a call has failed.
     *
     * @param place the place of a repeated call, which calls {@link #hasWorked} once it works; null for a call that
     *     only reads
     */
    void isAway(Throwable ex, @Nullable Object place) {
        if (DatabaseErrors.isConflict(ex)) {
            // It answers: others were faster, and it is tried again.
            LOGGER.debug("Conflict", ex);
            return;
        }
        if (place != null && DatabaseErrors.isRefusal(ex)) {
            isRefusing(ex, place);
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        Problem before = problem.getAndUpdate(known -> new Problem(ex, known == null ? nowNanos : known.sinceNanos));
        if (before == null) {
            ThrownLog.warn(
                    LOGGER,
                    "The database of the durable tasks does not answer; they wait until it does. Check the database, "
                            + "the network and the pool of connections",
                    ex);
        }
    }

    private void isRefusing(Throwable ex, Object place) {
        isThere();
        long nowNanos = nanoClock.getAsLong();
        boolean isNew;
        synchronized (refusals) {
            isNew = refusals.isEmpty();
            Problem first = refusal;
            Problem ignored = refusals.put(place, new Problem(ex, nowNanos));
            refusal = new Problem(ex, first == null ? nowNanos : first.sinceNanos);
        }
        if (isNew) {
            ThrownLog.warnInOneLine(
                    LOGGER,
                    "The database of the durable tasks refuses changes, as it is read-only or full, or a right is "
                            + "missing; no task starts until it accepts them",
                    DatabaseErrors.rootOf(ex));
        }
    }

    /** Notes that a repeated call has succeeded: it is no longer refused. */
    void hasWorked(Object place) {
        if (refusal == null) {
            return;
        }
        boolean isLast;
        synchronized (refusals) {
            isLast = refusals.remove(place) != null && refusals.isEmpty();
            if (isLast) {
                refusal = null;
            }
        }
        if (isLast) {
            LOGGER.info("The database of the durable tasks accepts changes again");
        }
    }

    /** Takes in that it answers, which says nothing of changes. */
    void isThere() {
        if (problem.get() != null && problem.getAndSet(null) != null) {
            LOGGER.info("The database of the durable tasks answers again");
        }
    }

    private @Nullable Problem current() {
        Problem known = problem.get();
        return known == null ? refusal : known;
    }

    /** Returns what it has answered with last; null while all is well. */
    public @Nullable Throwable problem() {
        Problem known = current();
        return known == null ? null : known.last;
    }

    /** Returns whether it answers and refuses changes. */
    public boolean refusesChanges() {
        return problem.get() == null && refusal != null;
    }

    /** Returns for how long it has not answered, or has refused changes; zero while all is well. */
    public Duration awayFor() {
        Problem known = current();
        return known == null ? Duration.ZERO : Duration.ofNanos(nanoClock.getAsLong() - known.sinceNanos);
    }
}
