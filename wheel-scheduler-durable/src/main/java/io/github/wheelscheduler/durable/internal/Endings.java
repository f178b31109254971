package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableOutcome.Again;
import io.github.wheelscheduler.durable.DurableOutcome.GiveUp;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.End.Kind;
import io.github.wheelscheduler.internal.StackText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Decides how the row of a returned run ends, and which end listeners receive. Workers. */
record Endings(Context context, Tables tables) {

    static final int LONGEST_FAILURE = 8_000;

    /**
     * The end of the row of a run that has returned.
     *
     * @param tell ends it; false if it is not this node's any more
     * @param dueAt when it is due again; null if it is not
     * @param notice the end that listeners receive then; null for none
     */
    record Ending(
            Kind kind,
            boolean hasSucceeded,
            BooleanSupplier tell,
            @Nullable Instant dueAt,
            @Nullable DurableEnd notice) {}

    /**
     * The statement that records a failed run.
     *
     * @param notice the end that listeners receive then; null for none
     */
    record Told(BooleanSupplier tell, @Nullable DurableEnd notice) {}

    /** Returns the end of a run for listeners; null if there are none. */
    @Nullable
    DurableEnd noted(
            Claim claim, DurableEnd.Kind kind, @Nullable Instant at, @Nullable String reason, @Nullable Throwable ex) {
        // A row that was to be ended is, unless its run has come to a good end.
        boolean isCancelled = claim.isAskedToEnd && kind != DurableEnd.Kind.DONE;
        return context.listeners()
                .noted(() -> isCancelled
                        ? claim.ran(DurableEnd.Kind.CANCELLED, null, null, ex)
                        : claim.ran(kind, at, reason, ex));
    }

    /**
     * Returns how the row of a run ends that has returned.
     *
     * @param next for when the run has scheduled its own id; null if it has not
     */
    Ending of(Claim claim, DurableOutcome outcome, @Nullable Instant next) {
        RowKey key = claim.key();
        if (outcome instanceof Again again) {
            if (next != null) {
                throw new IllegalStateException(
                        "A run that has scheduled its own id must not return again, which is for " + again.at());
            }
            Instant at = again.at();
            return new Ending(
                    Kind.CHANGE,
                    true,
                    () -> tables.ends().again(key, at),
                    at,
                    noted(claim, DurableEnd.Kind.AGAIN, at, null, null));
        }
        if (outcome instanceof GiveUp giveUp) {
            int failures = Runs.oneMore(claim.row().failures());
            Instant now = context.clock().now();
            String reason = kept(whole(StackText.start(giveUp.reason(), LONGEST_FAILURE)));
            return new Ending(
                    Kind.CHANGE,
                    false,
                    () -> tables.ends().giveUp(key, failures, now, reason),
                    null,
                    noted(claim, DurableEnd.Kind.GIVEN_UP, null, giveUp.reason(), null));
        }
        return new Ending(
                next == null ? Kind.DONE : Kind.CHANGE,
                true,
                () -> tables.ends().done(key),
                next,
                noted(claim, DurableEnd.Kind.DONE, next, null, null));
    }

    /** Counts a run that has returned. */
    void count(Claim claim, Ending ending) {
        if (ending.hasSucceeded) {
            context.tally().succeeded.incrementAndGet();
            return;
        }
        LOGGER.warn("The durable task " + claim + " is given up by its handler; its row has the reason");
        context.tally().failed.incrementAndGet();
        context.tally().givenUp.incrementAndGet();
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
