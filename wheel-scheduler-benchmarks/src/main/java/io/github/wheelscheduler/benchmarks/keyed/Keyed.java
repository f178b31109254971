package io.github.wheelscheduler.benchmarks.keyed;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Timers by key, reduced to what all who take part can do. */
public interface Keyed extends AutoCloseable {

    /**
     * Makes one of that name.
     *
     * @param handler is called with what has expired
     * @throws IllegalArgumentException if there is none of that name
     */
    static Keyed create(String name, Consumer<Entry> handler) {
        return switch (name) {
            case "wheel-keyed" -> new WheelKeyed(handler);
            case "hwt+map" -> new NettyKeyed(handler);
            case "caffeine" -> new CaffeineKeyed(handler);
            default -> throw new IllegalArgumentException("contender must be a known one, was " + name);
        };
    }

    /** Sets a key that is not there. */
    void set(Entry entry, long delayNanos);

    /** Puts it off until the delay from now has passed, and returns true; false if it has expired before. */
    boolean move(Entry entry, long delayNanos);

    /** Returns the thread that no handler should run on, if there is one. */
    default @Nullable Thread timerThread() {
        return null;
    }

    @Override
    void close();
}
