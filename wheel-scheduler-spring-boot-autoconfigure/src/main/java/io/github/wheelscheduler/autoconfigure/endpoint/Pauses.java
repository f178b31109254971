package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers who paused each scheduler over the endpoint, and why. A pause that began at another time is the
 * application's. Any thread.
 */
final class Pauses {

    /** Of the schedulers that are there. */
    private final Map<WheelTaskScheduler, SchedulerDescriptor.Pause> known =
            Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Notes who has paused a scheduler just now. Of several at a time, it is the first.
     *
     * @param before since when it had been paused; null unless it was, as then it is the pause of another
     */
    void note(SchedulerBeans.Named paused, @Nullable Instant before, SteeringLog.Caller by) {
        Instant at = paused.scheduler().getPausedAt();
        if (at != null && before == null) {
            SchedulerDescriptor.Pause noted =
                    new SchedulerDescriptor.Pause(at, EndpointAnswers.printable(by.name()), by.reason());
            SchedulerDescriptor.Pause ignored = known.merge(
                    paused.scheduler(), noted, (first, next) -> first.at().equals(at) ? first : next);
        }
    }

    /** Returns the pause of a scheduler; null if there is none. */
    SchedulerDescriptor.@Nullable Pause of(SchedulerBeans.Named named) {
        Instant at = named.scheduler().getPausedAt();
        if (at == null) {
            SchedulerDescriptor.Pause ignored = known.remove(named.scheduler());
            return null;
        }
        SchedulerDescriptor.Pause noted = known.get(named.scheduler());
        return noted != null && noted.at().equals(at) ? noted : new SchedulerDescriptor.Pause(at, null, null);
    }
}
