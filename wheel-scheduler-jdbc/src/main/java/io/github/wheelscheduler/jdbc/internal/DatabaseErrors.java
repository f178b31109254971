package io.github.wheelscheduler.jdbc.internal;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.CannotCreateTransactionException;

/** Tells what an exception says about the database. */
public final class DatabaseErrors {

    /** Of MariaDB, which has no SQL state for it. */
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    private static final int MOST_CAUSES = 50;

    // What SQL states begin with

    private static final String CONNECTION = "08";
    private static final String OPERATOR = "57";
    private static final String SHUTDOWN = "57P";
    private static final String QUERY_CANCELED = "57014";

    /** Of exceptions without a state. */
    private static final String NONE = "null";

    /** SQL states of H2: the connection is broken, the database is closed, or shut down. */
    private static final Set<String> GONE_IN_H2 = Set.of("90067", "90098", "90121");

    /** SQL states: for reading only, no room on the disk, a right that is missing. */
    private static final Set<String> REFUSALS = Set.of("25006", "53100", "42501");

    /** Codes of MariaDB and MySQL for the same, which have no state for each; and those of H2. */
    private static final Set<Integer> REFUSAL_CODES =
            Set.of(1021, 1036, 1114, 1142, 1143, 1290, 1792, 1836, 90_096, 90_097);

    /** Deadlocks, and what could not be put in an order with others. */
    private static final Set<String> DEADLOCKS = Set.of("40001", "40P01");

    private DatabaseErrors() {}

    /** Returns the last of the causes, as far as a user's exception tells them. Those of databases are few. */
    public static Throwable rootOf(Throwable ex) {
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
    public static boolean isOfDatabase(Throwable ex) {
        return ex instanceof DataAccessException || rootOf(ex) instanceof SQLException;
    }

    /** Whether the database has ended a statement, as it took too long. */
    public static boolean isOfStatement(Throwable ex) {
        return ex instanceof QueryTimeoutException || QUERY_CANCELED.equals(stateOf(ex));
    }

    /** Whether the database, or the way there, is gone, and has refused nothing. */
    public static boolean isOfConnection(Throwable ex) {
        return ex instanceof NonTransientDataAccessResourceException
                || ex instanceof TransientDataAccessResourceException
                || ex instanceof QueryTimeoutException
                || ex instanceof RecoverableDataAccessException
                || ex instanceof CannotCreateTransactionException
                || stateOf(ex).startsWith(CONNECTION)
                || stateOf(ex).startsWith(OPERATOR);
    }

    /**
     * Whether the database has refused a statement, or has ended it: the way there is open. Spring takes a full disk
     * for a connection that is gone.
     */
    public static boolean isAnswer(Throwable ex) {
        String state = stateOf(ex);
        boolean isGone = state.startsWith(CONNECTION) || state.startsWith(SHUTDOWN) || GONE_IN_H2.contains(state);
        return isOfStatement(ex) || !(state.isEmpty() || state.equals(NONE) || isGone);
    }

    private static String stateOf(Throwable ex) {
        return rootOf(ex) instanceof SQLException failure ? String.valueOf(failure.getSQLState()) : "";
    }

    /** Whether a statement was rolled back because of others, and has done nothing, so that it may be made again. */
    public static boolean isUndone(Throwable ex) {
        return isDeadlock(ex) || isLockWait(ex);
    }

    /** Whether a transaction was rolled back because of others. */
    public static boolean isDeadlock(Throwable ex) {
        return DEADLOCKS.contains(stateOf(ex));
    }

    /** Whether a statement of MariaDB's has waited for a lock for as long as it may. */
    public static boolean isLockWait(Throwable ex) {
        return rootOf(ex) instanceof SQLException failure && failure.getErrorCode() == LOCK_WAIT_TIMEOUT;
    }

    /** Whether another transaction has locked what a statement needs, or was faster. */
    public static boolean isConflict(Throwable ex) {
        return ex instanceof ConcurrencyFailureException || isLockWait(ex);
    }

    /**
     * Whether the database answers, and takes no change: it is for reading only, its disk is full, or a right is
     * missing.
     */
    public static boolean isRefusal(Throwable ex) {
        return rootOf(ex) instanceof SQLException failure
                && (REFUSALS.contains(String.valueOf(failure.getSQLState()))
                        || REFUSAL_CODES.contains(failure.getErrorCode()));
    }
}
