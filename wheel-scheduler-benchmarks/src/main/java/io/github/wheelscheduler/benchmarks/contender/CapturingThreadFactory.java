package io.github.wheelscheduler.benchmarks.contender;

import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Remembers the thread that it has made last. */
public final class CapturingThreadFactory implements ThreadFactory {

    private final String name;

    /** Writer: the thread that starts the contender. Readers: figures. */
    private volatile @Nullable Thread thread;

    /** Its threads all have that name. */
    public CapturingThreadFactory(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread created = new Thread(task, name);
        thread = created;
        return created;
    }

    /** Returns that thread; null before the first. */
    public @Nullable Thread thread() {
        return thread;
    }
}
