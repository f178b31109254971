package io.github.wheelscheduler.benchmarks.profile;

import java.util.Locale;

/** The purpose of a thread. */
enum Role {
    CALLER,
    TICK_THREAD,
    WORKER,
    OTHER;

    /** Tells by the name of the thread. */
    static Role of(String threadName) {
        if (threadName.equals("main") || threadName.startsWith("caller")) {
            return CALLER;
        }
        if (threadName.equals("tick")) {
            return TICK_THREAD;
        }
        return threadName.startsWith("wheel-scheduler-") ? WORKER : OTHER;
    }

    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
