package io.github.wheelscheduler;

import org.jspecify.annotations.Nullable;

/**
 * What a worker runs in place of a timer that has been wrapped.
 *
 * @param outer what has been wrapped around the timer
 * @param task the task of the timer
 */
record DecoratedTask(
        ScheduledTimer<?> timer, Runnable outer, @Nullable Object task) implements Runnable {

    @Override
    public void run() {
        try {
            outer.run();
        } finally {
            // A wrapper that has not run the timer never will: nobody is to wait for it.
            if (timer.state() == ScheduledTimer.READY) {
                boolean ignored = timer.cancel(false);
            }
        }
    }

    @Override
    public String toString() {
        return timer.toString();
    }
}
