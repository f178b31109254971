package io.github.wheelscheduler.idle;

import io.github.wheelscheduler.timers.TimerSource;
import java.util.List;

/**
 * A timeout with what the observer of calls keeps of the caller. A class of its own, so that others have no room for
 * it.
 */
final class LinkedIdleRun<K> extends IdleRun<K> {

    /** A list from the start: there may be no memory for one when the handler is to be called. */
    private final List<?> kept;

    LinkedIdleRun(IdleTimeouts<K> owner, TimerSource timers, K key, long idleNanos, Object kept) {
        super(owner, timers, key, idleNanos);
        this.kept = List.of(kept);
    }

    @Override
    List<?> kept() {
        return kept;
    }
}
