package io.github.wheelscheduler.benchmarks.keyed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A Caffeine cache whose entries expire each at its own time, with a scheduler, so that they do without activity. */
final class CaffeineKeyed implements Keyed {

    private final Cache<Integer, Entry> cache;

    CaffeineKeyed(Consumer<Entry> handler) {
        cache = Caffeine.newBuilder()
                .scheduler(Scheduler.systemScheduler())
                .expireAfter(new Delays())
                .removalListener((@Nullable Integer key, @Nullable Entry entry, RemovalCause cause) -> {
                    if (entry != null && cause == RemovalCause.EXPIRED) {
                        handler.accept(entry);
                    }
                })
                .build();
    }

    /** Of each entry, by its own word. A reading puts it off, which is the cheapest way there is. */
    private static final class Delays implements Expiry<Integer, Entry> {

        @Override
        public long expireAfterCreate(Integer key, Entry value, long currentTime) {
            return value.delayNanos();
        }

        @Override
        public long expireAfterUpdate(Integer key, Entry value, long currentTime, long currentDuration) {
            return value.delayNanos();
        }

        @Override
        public long expireAfterRead(Integer key, Entry value, long currentTime, long currentDuration) {
            return value.delayNanos();
        }
    }

    @Override
    public void set(Entry entry, long delayNanos) {
        entry.setDelayNanos(delayNanos);
        cache.put(entry.key(), entry);
    }

    @Override
    public boolean move(Entry entry, long delayNanos) {
        entry.setDelayNanos(delayNanos);
        return cache.getIfPresent(entry.key()) == entry;
    }

    @Override
    public void close() {
        cache.invalidateAll();
    }
}
