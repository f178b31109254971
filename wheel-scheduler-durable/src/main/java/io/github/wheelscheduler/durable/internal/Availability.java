package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.CannotCreateTransactionException;

/** Whether the database answers, and takes changes; each turn of that is logged once. Any thread. */
public final class Availability {

    /** Of MariaDB, which has no SQL state for it. */
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    private static final int MOST_CAUSES = 50;

    // What SQL states begin with

    private static final String CONNECTION = "08";
    private static final String OPERATOR = "57";
    private static final String QUERY_CANCELED = "57014";

    /** SQL states: for reading only, no room on the disk, a right that is missing. */
    private static final Set<String> REFUSALS = Set.of("25006", "53100", "42501");

    /** Codes of MariaDB and MySQL for the same, which have no state for each; and those of H2. */
    private static final Set<Integer> REFUSAL_CODES =
            Set.of(1021, 1036, 1114, 1142, 1143, 1290, 1792, 1836, 90_096, 90_097);

    /** Deadlocks, and what could not be put in an order with others. */
    private static final Set<String> DEADLOCKS = Set.of("40001", "40P01");

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
     * @param last what it has answered with last
     * @param sinceNanos when the first attempt has failed
     */
    private record Problem(Throwable last, long sinceNanos) {}

    Availability(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns the last of the causes, as far as a user's exception tells them. Those of databases are few. */
    private static Throwable rootOf(Throwable ex) {
        Throwable root = ex;
        try {
            for (int i = 0; i < MOST_CAUSES; i++) {
                Throwable cause = root.getCause();
                if (cause == null) {
                    return root;
                }
                root = cause;
            }
        } catch (Throwable failure) {
            // It is none of a database.
        }
        return root;
    }

    /** Whether that is something that the database, or the way there, has said. */
    static boolean isOfDatabase(Throwable ex) {
        return ex instanceof DataAccessException || rootOf(ex) instanceof SQLException;
    }

    /** Whether the database has ended a statement, as it took too long. */
    static boolean isOfStatement(Throwable ex) {
        return ex instanceof QueryTimeoutException || QUERY_CANCELED.equals(stateOf(ex));
    }

    /** Whether the database, or the way there, is gone, and has refused nothing. */
    static boolean isOfConnection(Throwable ex) {
        return ex instanceof NonTransientDataAccessResourceException
                || ex instanceof TransientDataAccessResourceException
                || ex instanceof QueryTimeoutException
                || ex instanceof RecoverableDataAccessException
                || ex instanceof CannotCreateTransactionException
                || stateOf(ex).startsWith(CONNECTION)
                || stateOf(ex).startsWith(OPERATOR);
    }

    private static String stateOf(Throwable ex) {
        return rootOf(ex) instanceof SQLException failure ? String.valueOf(failure.getSQLState()) : "";
    }

    /** Whether a statement was rolled back because of others, and has done nothing, so that it may be made again. */
    static boolean isUndone(Throwable ex) {
        return DEADLOCKS.contains(stateOf(ex)) || isLockWait(ex);
    }

    /** Whether a statement of MariaDB's has waited for a lock for as long as it may. */
    static boolean isLockWait(Throwable ex) {
        return rootOf(ex) instanceof SQLException failure && failure.getErrorCode() == LOCK_WAIT_TIMEOUT;
    }

    /** Whether another transaction has locked what a statement needs, or was faster. */
    static boolean isConflict(Throwable ex) {
        return ex instanceof ConcurrencyFailureException || isLockWait(ex);
    }

    /** Whether the database answers, and takes no change: it is for reading only, its disk is full, or a right is missing. */
    static boolean isRefusal(Throwable ex) {
        return rootOf(ex) instanceof SQLException failure
                && (REFUSALS.contains(String.valueOf(failure.getSQLState()))
                        || REFUSAL_CODES.contains(failure.getErrorCode()));
    }

    /** Takes in that a call which only reads has failed. Calls which change something say whether changes are refused. */
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
        if (isConflict(ex)) {
            // It answers: others were faster, and it is tried again.
            LOGGER.debug("Conflict", ex);
            return;
        }
        if (place != null && isRefusal(ex)) {
            isRefusing(ex, place);
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        Problem before = problem.getAndUpdate(known -> new Problem(ex, known == null ? nowNanos : known.sinceNanos));
        if (before == null) {
            ThrownLog.warn(LOGGER, "The database of the durable tasks does not answer; they wait until it does", ex);
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
                    "The database of the durable tasks refuses changes; the tasks wait until it accepts them",
                    rootOf(ex));
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
            LOGGER.info("The database of the durable tasks takes changes again");
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
