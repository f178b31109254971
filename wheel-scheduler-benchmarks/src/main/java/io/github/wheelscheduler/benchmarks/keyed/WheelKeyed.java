package io.github.wheelscheduler.benchmarks.keyed;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.benchmarks.contender.CapturingThreadFactory;
import io.github.wheelscheduler.keyed.KeyedTimers;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Ours, with the defaults. */
final class WheelKeyed implements Keyed {

    private final CapturingThreadFactory tickThread = new CapturingThreadFactory("tick");
    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().tickThreadFactory(tickThread).build();
    private final KeyedTimers<Integer, Entry> timers;

    WheelKeyed(Consumer<Entry> handler) {
        timers = KeyedTimers.<Integer, Entry>builder(executor, (key, entry) -> handler.accept(entry))
                .build();
    }

    @Override
    public void set(Entry entry, long delayNanos) {
        Entry ignored = timers.set(entry.key(), entry, Duration.ofNanos(delayNanos));
    }

    @Override
    public boolean move(Entry entry, long delayNanos) {
        return timers.move(entry.key(), Duration.ofNanos(delayNanos));
    }

    @Override
    public @Nullable Thread timerThread() {
        return tickThread.thread();
    }

    @Override
    public void close() {
        timers.close();
        List<Runnable> ignored = executor.shutdownNow();
    }
}
