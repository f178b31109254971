package io.github.wheelscheduler.lease;

/**
 * Called when a lease is lost.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface LossListener<K> {

    /**
     * Stops the work that the lease protected. Called once at most, before the lease ends or, if the process did not
     * run then, first thing when it runs again. No renewal of that lease begins afterwards; one that has begun looks
     * once more before it asks the store, and one that asks then continues. It should be quick: others are called on
     * the same workers. Its exceptions are counted and logged.
     */
    void lost(K key, Reason reason);

    /** Why a lease is lost. */
    enum Reason {
        /** It could not be renewed in time. */
        EXPIRED,
        /** The store reported the loss. */
        GONE,
        /** The executor has been stopped, so that it is not renewed any more. */
        STOPPED
    }
}
