package io.github.wheelscheduler;

import java.util.ArrayList;
import java.util.List;

/** Timers that are handed back by a shutdown. What it has room for, it takes without fail. Not thread-safe. */
final class NeverRan {

    private final ArrayList<ScheduledTimer<?>> timers = new ArrayList<>();

    /** Finds memory for so many more, before their timers are taken out of where they are; true, or it throws. */
    boolean hasRoomFor(int more) {
        timers.ensureCapacity(timers.size() + more);
        return true;
    }

    void add(ScheduledTimer<?> timer) {
        timers.add(timer);
    }

    /** Returns them in the order of their deadlines, and keeps none. */
    List<Runnable> takeByDeadline() {
        timers.sort((one, other) -> one.compareTo(other));
        List<Runnable> taken = new ArrayList<>(timers);
        timers.clear();
        return taken;
    }
}
