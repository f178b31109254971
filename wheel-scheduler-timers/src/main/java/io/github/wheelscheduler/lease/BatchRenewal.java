package io.github.wheelscheduler.lease;

import java.util.List;
import java.util.Map;

/**
 * Renews several leases in one call.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface BatchRenewal<K> {

    /**
     * Asks the store for the whole lease of each key from now on; as {@link Renewal#renew}.
     *
     * @param keys the keys that are due together, each once; not empty, and cannot be changed
     * @return the outcome of each; a missing one counts as {@link Renewal.Outcome#FAILED}
     */
    Map<K, Renewal.Outcome> renew(List<K> keys) throws Exception;
}
