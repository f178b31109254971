package io.github.wheelscheduler.internal.spring.task;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The future of what is scheduled while a scheduler is off: it stays open until it is cancelled. */
final class NeverRun extends CompletableFuture<@Nullable Object> implements ScheduledFuture<@Nullable Object> {

    @Override
    public long getDelay(TimeUnit unit) {
        return Long.MAX_VALUE;
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(Long.MAX_VALUE, other.getDelay(TimeUnit.NANOSECONDS));
    }
}
