package io.github.wheelscheduler.benchmarks.keyed;

import io.github.wheelscheduler.benchmarks.contender.CapturingThreadFactory;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Netty's {@link HashedWheelTimer} beside a map, as it is done by hand; enough for a single caller, not for several.
 */
final class NettyKeyed implements Keyed {

    private static final int BUCKETS = 512;

    private final CapturingThreadFactory timerThread = new CapturingThreadFactory("hashed-wheel-timer");
    private final HashedWheelTimer timer = new HashedWheelTimer(timerThread, 1, TimeUnit.MILLISECONDS, BUCKETS, false);
    private final ConcurrentHashMap<Integer, Timeout> timeouts = new ConcurrentHashMap<>();
    private final Consumer<Entry> handler;

    NettyKeyed(Consumer<Entry> handler) {
        this.handler = handler;
    }

    @Override
    public void set(Entry entry, long delayNanos) {
        Timeout unused = timeouts.put(entry.key(), newTimeout(entry, delayNanos));
    }

    private Timeout newTimeout(Entry entry, long delayNanos) {
        return timer.newTimeout(timeout -> expire(timeout, entry), delayNanos, TimeUnit.NANOSECONDS);
    }

    private void expire(Timeout timeout, Entry entry) {
        boolean unused = timeouts.remove(entry.key(), timeout);
        handler.accept(entry);
    }

    @Override
    public boolean move(Entry entry, long delayNanos) {
        Timeout pending = timeouts.get(entry.key());
        if (pending == null || !pending.cancel()) {
            return false;
        }
        set(entry, delayNanos);
        return true;
    }

    @Override
    public @Nullable Thread timerThread() {
        return timerThread.thread();
    }

    @Override
    public void close() {
        Set<Timeout> unused = timer.stop();
    }
}
