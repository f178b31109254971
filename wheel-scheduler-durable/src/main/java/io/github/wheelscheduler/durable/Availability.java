package io.github.wheelscheduler.durable;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;

/** Whether the database answers; each change is logged once. Any thread. */
final class Availability {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    /** Of MariaDB, which has no SQL state for it. */
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    /** What it has answered with last; null while all is well. */
    private final AtomicReference<@Nullable Throwable> problem = new AtomicReference<>();

    /** Whether that is something that the database, or the way there, has said. */
    static boolean isOfDatabase(Throwable ex) {
        return ex instanceof DataAccessException
                || NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException;
    }

    private static boolean isConflict(Throwable ex) {
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
        if (problem.getAndSet(ex) == null) {
            LOGGER.warn("The database of the durable tasks does not answer; they wait until it does", ex);
        }
    }

    void isThere() {
        if (problem.get() != null && problem.getAndSet(null) != null) {
            LOGGER.info("The database of the durable tasks answers again");
        }
    }

    @Nullable
    Throwable problem() {
        return problem.get();
    }
}
