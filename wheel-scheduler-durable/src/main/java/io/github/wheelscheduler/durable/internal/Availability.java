package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.CannotCreateTransactionException;

/** Whether the database answers; each change is logged once. Any thread. */
public final class Availability {

    /** Of MariaDB, which has no SQL state for it. */
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    // What SQL states begin with

    private static final String CONNECTION = "08";
    private static final String OPERATOR = "57";
    private static final String QUERY_CANCELED = "57014";

    private final LongSupplier nanoClock;

    /** Null while all is well. */
    private final AtomicReference<@Nullable Problem> problem = new AtomicReference<>();

    /**
     * It does not answer.
     *
     * @param last what it has answered with last
     * @param sinceNanos when the first attempt has failed
     */
    private record Problem(Throwable last, long sinceNanos) {}

    Availability(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Whether that is something that the database, or the way there, has said. */
    static boolean isOfDatabase(Throwable ex) {
        return ex instanceof DataAccessException
                || NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException;
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
        return NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException failure
                ? String.valueOf(failure.getSQLState())
                : "";
    }

    /** Whether another transaction has locked what a statement needs, or was faster. */
    static boolean isConflict(Throwable ex) {
        return ex instanceof ConcurrencyFailureException
                || (NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException failure
                        && failure.getErrorCode() == LOCK_WAIT_TIMEOUT);
    }

    void isAway(Throwable ex) {
        if (isConflict(ex)) {
            // It answers: others were faster, and it is tried again.
            LOGGER.debug("Conflict", ex);
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        Problem before = problem.getAndUpdate(known -> new Problem(ex, known == null ? nowNanos : known.sinceNanos));
        if (before == null) {
            LOGGER.warn("The database of the durable tasks does not answer; they wait until it does", ex);
        }
    }

    void isThere() {
        if (problem.get() != null && problem.getAndSet(null) != null) {
            LOGGER.info("The database of the durable tasks answers again");
        }
    }

    /** Returns what it has answered with last; null while all is well. */
    public @Nullable Throwable problem() {
        Problem known = problem.get();
        return known == null ? null : known.last;
    }

    /** Returns for how long it has not answered; zero while all is well. */
    public Duration awayFor() {
        Problem known = problem.get();
        return known == null ? Duration.ZERO : Duration.ofNanos(nanoClock.getAsLong() - known.sinceNanos);
    }
}
