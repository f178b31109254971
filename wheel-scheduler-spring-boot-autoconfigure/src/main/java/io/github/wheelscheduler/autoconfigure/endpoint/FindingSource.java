package io.github.wheelscheduler.autoconfigure.endpoint;

import java.time.Instant;
import java.util.List;

/**
 * Finds what is wrong with something beside the schedulers. Each bean of this type is asked whenever the endpoint shows
 * findings.
 */
public interface FindingSource {

    /**
     * Returns what is wrong now; nothing if all is well. It should take no longer than some milliseconds, as a page may
     * ask each second. If this throws, that is a finding. Any thread.
     *
     * @param now by the clock of the schedulers
     */
    List<Finding> findings(Instant now);
}
