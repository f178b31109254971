package io.github.wheelscheduler.lease;

import java.util.List;

/**
 * The listener of a lease that was kept while the observer of calls had something to keep of the caller.
 *
 * @param kept for the observer; a list, as there may be no memory for one when the lease is lost
 * @param listener the application's own
 */
record LinkedListener<K>(List<?> kept, LossListener<? super K> listener) implements LossListener<K> {

    @Override
    public void lost(K key, Reason reason) {
        listener.lost(key, reason);
    }
}
