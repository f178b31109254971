package io.github.wheelscheduler.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row that a node has claimed.
 *
 * @param payload null if it was too long to come with the claim
 * @param dueAt when it is due, by the database's clock
 * @param firstDueAt when it was due at first, before retries
 * @param failures how many runs have failed in a row
 * @param lastSuccessAt when the last run ended that did not fail; null if none has
 * @param lastFailureAt when the last run failed; null if none has
 * @param unreadable how often in a row it could not be read
 * @param suspicions how many nodes in a row died that had claimed it
 * @param deaths how many of these died while it ran alone as a suspect
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares rows
record TaskRow(
        RowKey key,
        byte @Nullable [] payload,
        Instant dueAt,
        Instant firstDueAt,
        int failures,
        @Nullable Instant lastSuccessAt,
        @Nullable Instant lastFailureAt,
        int unreadable,
        int suspicions,
        int deaths) {

    /** From so many on, the task may have killed the nodes: it runs with a mark, and one such task at a time on a node. */
    static final int SUSPECT = 2;

    boolean isSuspect() {
        return suspicions >= SUSPECT;
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return key.handler().equals(Handler.RECURRING) ? key.handlerName() : key.handler() + " " + key.id();
    }
}
