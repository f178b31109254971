package io.github.wheelscheduler.lease;

/**
 * Renews a lease in the store that has granted it.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface Renewal<K> {

    /**
     * Asks the store for the whole lease from now on. On a worker that is there for renewals alone; it is interrupted
     * when the lease is lost meanwhile, or closed for longer than the limit. An exception counts as
     * {@link Outcome#FAILED}.
     */
    Outcome renew(K key) throws Exception;

    /** The outcome of an attempt. */
    enum Outcome {
        /** The lease is granted anew, from the start of the attempt on. */
        RENEWED,
        /** The outcome is unknown; the renewal is retried as long as the lease lasts. */
        FAILED,
        /** The store has granted the lease to another owner, or has forgotten it: it is lost. */
        GONE
    }
}
