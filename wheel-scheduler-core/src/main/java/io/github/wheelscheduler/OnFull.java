package io.github.wheelscheduler;

/**
 * What becomes of a run that is due while its group is full: as many runs are going on as there may be, and as many wait in the queue
 * as it takes. Every such run that does not start is counted. A series that has lost a run waits for a place when its next one is due, if
 * others have had places since: so frequent runs do not have them all.
 */
public enum OnFull {

    /** It waits for a place, after tasks that wait already; it can be cancelled and moved meanwhile. Nothing is lost. */
    WAIT,

    /**
     * It is rejected. The future of a one-time timer fails with a {@link java.util.concurrent.RejectedExecutionException}; a series
     * loses this run and goes on; {@code execute} and {@code submit} are rejected at the call.
     */
    REJECT,

    /**
     * It is dropped. A one-time timer ends as cancelled; a series loses this run and goes on; {@code execute} and {@code submit} are
     * rejected at the call, as nobody else could tell their caller.
     */
    DROP
}
