package io.github.wheelscheduler.testing;

import io.github.wheelscheduler.TimeSource;
import org.jspecify.annotations.Nullable;

/** Fails on one thread when it is asked for the time once more after so many times. */
public final class FailingTime extends TimeSource {

    private volatile @Nullable Thread thread;
    private int left;

    public void failHere(int step) {
        left = step;
        thread = Thread.currentThread();
    }

    public void failNoMore() {
        thread = null;
    }

    public boolean isToFail() {
        return thread != null;
    }

    @Override
    public long nanoTime() {
        if (thread == Thread.currentThread() && left-- == 0) {
            thread = null;
            throw new Skipping();
        }
        return super.nanoTime();
    }

    /** Is thrown. */
    public static final class Skipping extends Error {

        private static final long serialVersionUID = 1;
    }
}
