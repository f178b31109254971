package io.github.wheelscheduler.autoconfigure.testing;

import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Objects that a test expects to be collected. Holds none of them. */
public final class ReleasedObjects {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<WeakReference<Object>> watched = new ArrayList<>();

    /** Watches an object, of which the caller must keep no reference. */
    public void watch(Object object) {
        watched.add(new WeakReference<>(object));
    }

    /** Returns how many have not been collected. */
    private int left() {
        System.gc();
        return Math.toIntExact(
                watched.stream().filter(one -> !one.refersTo(null)).count());
    }

    /** Waits until all have been collected. */
    public void awaitAll() {
        await().alias(watched.size() + " objects are collected").atMost(LIMIT).until(this::left, left -> left == 0);
    }
}
