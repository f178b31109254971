package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timers for programs lose nothing in a group that rejects or drops other tasks. */
class TimersInFullGroupsTest {

    private final VirtualTime time = new VirtualTime();

    @ParameterizedTest
    @EnumSource
    void keyedTimersAndIdleTimeoutsAwaitAFullGroup(OnFull onFull) {
        WheelScheduledExecutor group = time.executor
                .newGroup("reports")
                .maxWorkers(1)
                .queueCapacity(0)
                .onFull(onFull)
                .build();
        Gate gate = new Gate();
        group.execute(gate);
        gate.awaitArrivals(1);
        time.setBlocked(group, true);
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        try (time;
                KeyedTimers<String, String> single = KeyedTimers.<String, String>builder(
                                group, (key, value) -> handled.add(key))
                        .build();
                KeyedTimers<String, String> batches = KeyedTimers.<String, String>batchBuilder(
                                group, 10, batch -> batch.forEach(entry -> handled.add(entry.key())))
                        .build();
                IdleTimeouts<String> idle =
                        IdleTimeouts.<String>builder(group, handled::add).build()) {
            assertThat(single.set("one", "", Duration.ofMillis(10))).isNull();
            assertThat(batches.set("two", "", Duration.ofMillis(10))).isNull();
            IdleTimeout ignored = idle.register("three", Duration.ofMillis(10));
            time.pass(Duration.ofMillis(50));
            assertThat(handled).isEmpty();
            gate.open();
            time.setBlocked(group, false);
            // An entry that is due now comes with the next tick.
            time.pass(Duration.ofMillis(1));
            time.pass(Duration.ofMillis(1));
            awaitThat(() -> handled.size() == 3);
            assertThat(handled).containsExactlyInAnyOrder("one", "two", "three");
        }
    }
}
