package io.github.wheelscheduler.autoconfigure.endpoint;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers who paused each scheduler over the endpoint, and why. A pause that began at another time is the
 * application's. Any thread.
 */
final class Pauses {

    private final Map<String, SchedulerDescriptor.Pause> byName = new ConcurrentHashMap<>();

    /**
     * Notes who has paused a scheduler just now.
     *
     * @param before since when it had been paused; null unless it was, as then it is the pause of another
     */
    void note(SchedulerBeans.Named paused, @Nullable Instant before, SteeringLog.Caller by) {
        Instant at = paused.scheduler().getPausedAt();
        if (at != null && before == null) {
            SchedulerDescriptor.Pause ignored = byName.put(
                    paused.name(),
                    new SchedulerDescriptor.Pause(at, EndpointAnswers.printable(by.name()), by.reason()));
        }
    }

    /** Returns the pause of a scheduler; null if there is none. */
    SchedulerDescriptor.@Nullable Pause of(SchedulerBeans.Named named) {
        Instant at = named.scheduler().getPausedAt();
        if (at == null) {
            SchedulerDescriptor.Pause ignored = byName.remove(named.name());
            return null;
        }
        SchedulerDescriptor.Pause known = byName.get(named.name());
        return known != null && known.at().equals(at) ? known : new SchedulerDescriptor.Pause(at, null, null);
    }
}
