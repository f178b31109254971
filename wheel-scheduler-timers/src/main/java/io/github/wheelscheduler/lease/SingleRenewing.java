package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.lease.Renewal.Outcome;

/** Renews each lease in a call of its own. */
final class SingleRenewing<K> implements Renewing<K> {

    private final LeaseRenewer<K> renewer;
    private final Renewal<? super K> renewal;

    SingleRenewing(LeaseRenewer<K> renewer, Renewal<? super K> renewal) {
        this.renewer = renewer;
        this.renewal = renewal;
    }

    @Override
    public void due(Lease<K> lease) {
        if (!lease.beginRenewal()) {
            return;
        }
        Outcome outcome = Outcome.FAILED;
        try {
            outcome = renewal.renew(lease.key());
        } catch (Throwable ex) {
            renewer.attemptFailed(ex);
        } finally {
            renewer.ended(lease, outcome);
        }
    }
}
