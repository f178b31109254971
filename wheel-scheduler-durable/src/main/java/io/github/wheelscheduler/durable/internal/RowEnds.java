package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableOutcome.Again;
import io.github.wheelscheduler.durable.DurableOutcome.GiveUp;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.RowEnd.Kind;
import io.github.wheelscheduler.internal.StackText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Decides how the row of a returned run ends. Workers. */
record RowEnds(Context context, Tables tables, NextRuns nextRuns) {

    static final int LONGEST_FAILURE = 8_000;

    /**
     * Returns how the row of a run ends that has returned.
     *
     * @param next for when the run has scheduled its own id; null if it has not
     */
    RowEnd of(Claim claim, DurableOutcome outcome, @Nullable Instant next) {
        RowKey key = claim.key();
        boolean isMade = claim.row().made() != null;
        if (outcome instanceof Again again) {
            if (next != null) {
                throw new IllegalStateException(
                        "A run that has scheduled its own id must not return again, was again at " + again.at());
            }
            Instant at = again.at();
            return new RowEnd(
                    Kind.CHANGE,
                    () -> tables.ends().again(key, at),
                    at,
                    claim.ran(DurableEnd.Kind.AGAIN, at, null, null));
        }
        if (outcome instanceof GiveUp giveUp) {
            int failures = Runs.oneMore(claim.row().failures());
            Instant now = context.clock().now();
            String reason = kept(whole(StackText.start(giveUp.reason(), LONGEST_FAILURE)));
            return RowEnd.changed(
                    isMade
                            ? nextRuns.after(claim, null, reason, true)
                            : () -> tables.ends().giveUp(claim, failures, now, reason),
                    claim.ran(DurableEnd.Kind.GIVEN_UP, null, giveUp.reason(), null));
        }
        return new RowEnd(
                next == null && !isMade ? Kind.DONE : Kind.CHANGE,
                isMade
                        ? nextRuns.after(claim, null, null, true)
                        : () -> tables.ends().done(key),
                next,
                claim.ran(DurableEnd.Kind.DONE, next, null, null));
    }

    /** Half of a character, which a database refuses, becomes a question mark. */
    private static String whole(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** A database may refuse it. */
    static String kept(String text) {
        return text.replace("\0", "");
    }
}
