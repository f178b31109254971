package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.internal.Arguments;
import java.time.Instant;
import java.util.Objects;

/**
 * The outcome of a one-time task whose run has returned. A handler returns it in place of {@code void}; it is written
 * by the statement that ends the run, and in the transaction of a transactional handler. Immutable.
 *
 * <pre>{@code
 * @DurableHandler("shipment")
 * DurableOutcome track(Shipment shipment) {
 *     return switch (carrier.stateOf(shipment)) {
 *         case ARRIVED -> DurableOutcome.done();
 *         case ON_ITS_WAY -> DurableOutcome.again(Instant.now().plus(1, HOURS));
 *         case LOST -> DurableOutcome.giveUp("The carrier has lost it");
 *     };
 * }
 * }</pre>
 */
public sealed interface DurableOutcome {

    /** Returns that the task is done, as when a handler of {@code void} returns: its row is deleted. */
    static DurableOutcome done() {
        return Done.DONE;
    }

    /**
     * Returns that the task is to run again, although nothing has failed. It keeps its payload and the time when it was
     * due at first, and begins at attempt 1. A run that has scheduled its own id and returns this has failed.
     *
     * @param at when, by the database's clock; the past means now
     * @throws IllegalArgumentException if it is in none of the years 1 to 9999
     */
    static DurableOutcome again(Instant at) {
        return new Again(at);
    }

    /**
     * Returns that the task has failed for good, even if retries are left. It is kept as {@linkplain
     * DurableTask.State#FAILED failed}, with the reason as its failure. Writes of a transactional run are committed
     * with it; a run that throws is rolled back.
     *
     * @param reason a text for people, not blank
     * @throws IllegalArgumentException if it is blank
     */
    static DurableOutcome giveUp(String reason) {
        return new GiveUp(reason);
    }

    /** The task is done. */
    enum Done implements DurableOutcome {
        /** The only one. */
        DONE
    }

    /**
     * The task is to run again.
     *
     * @param at when
     */
    record Again(Instant at) implements DurableOutcome {

        /** Checks the time as {@link DurableOutcome#again} does. */
        public Again {
            Arguments.requireTime(at);
        }
    }

    /**
     * The task has failed for good.
     *
     * @param reason why
     */
    record GiveUp(String reason) implements DurableOutcome {

        /** Checks the reason as {@link DurableOutcome#giveUp} does. */
        public GiveUp {
            Objects.requireNonNull(reason, "reason must not be null");
            if (reason.isBlank()) {
                throw new IllegalArgumentException("reason must not be blank");
            }
        }
    }
}
