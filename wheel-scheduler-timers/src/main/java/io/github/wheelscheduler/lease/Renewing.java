package io.github.wheelscheduler.lease;

/** How leases that are due are renewed: one by one, or together. */
interface Renewing<K> {

    /** The lease is due. On a worker for renewals. */
    void due(Lease<K> lease);
}
