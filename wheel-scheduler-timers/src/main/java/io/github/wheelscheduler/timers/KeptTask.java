package io.github.wheelscheduler.timers;

import io.github.wheelscheduler.ManagedTask;

/** A task of timers for programs, which keep it by a key. */
public interface KeptTask extends Runnable, ManagedTask {

    /** The rejection handler is not used: the caller that sets or registers the key gets the exception. */
    @Override
    default boolean isSteered() {
        return true;
    }

    /** Nothing that is kept by a key is lost because others fill a group. */
    @Override
    default boolean waitsWhenFull() {
        return true;
    }
}
