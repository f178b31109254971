package io.github.wheelscheduler.lease;

/** The state of a lease at its close. */
public enum LeaseEnd {
    /** It was kept; no renewal is active any more, and none begins. */
    CLOSED,
    /** It was kept, but a renewal had to be interrupted, as it took longer than the limit; its outcome is unknown. */
    INTERRUPTED,
    /** A renewal was interrupted and has not ended all the same; no other begins. */
    STILL_RENEWING,
    /** Closed from within its own renewal, which is still active; no other begins. */
    FROM_RENEWAL,
    /** It was lost before. */
    LOST,
    /** It was closed before. */
    CLOSED_BEFORE
}
