package io.github.wheelscheduler.durable.internal.row;

import io.github.wheelscheduler.durable.RetryPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The retries of a single task, from its row; null where those of its handler apply.
 *
 * @param retries the number of retries
 * @param backOffMillis the first pause
 * @param maxBackOffMillis the longest pause
 */
public record OwnRetries(
        @Nullable Integer retries,
        @Nullable Long backOffMillis,
        @Nullable Long maxBackOffMillis) {

    public static final OwnRetries NONE = new OwnRetries(null, null, null);

    public static OwnRetries of(@Nullable RetryPolicy policy) {
        return policy == null
                ? NONE
                : new OwnRetries(policy.maxRetries(), millis(policy.backOff()), millis(policy.maxBackOff()));
    }

    /** A pause is never zero. */
    private static long millis(Duration pause) {
        return Math.max(1, pause.toMillis());
    }

    public static OwnRetries read(ResultSet row) throws SQLException {
        Integer retries = row.getObject("retries", Integer.class);
        Long backOff = row.getObject("back_off_millis", Long.class);
        Long maxBackOff = row.getObject("max_back_off_millis", Long.class);
        return retries == null && backOff == null && maxBackOff == null
                ? NONE
                : new OwnRetries(retries, backOff, maxBackOff);
    }

    public boolean isNone() {
        return equals(NONE);
    }

    /**
     * Returns these in the place of the handler's, whose rules for exceptions stay; values that do not fit, as of
     * another program, do not count.
     */
    public RetryPolicy over(RetryPolicy ofHandler) {
        if (isNone()) {
            return ofHandler;
        }
        try {
            return new RetryPolicy(
                    retries == null ? ofHandler.maxRetries() : retries,
                    backOffMillis == null ? ofHandler.backOff() : Duration.ofMillis(backOffMillis),
                    maxBackOffMillis == null ? ofHandler.maxBackOff() : Duration.ofMillis(maxBackOffMillis),
                    ofHandler.retryFor(),
                    ofHandler.noRetryFor());
        } catch (IllegalArgumentException ex) {
            return ofHandler;
        }
    }
}
