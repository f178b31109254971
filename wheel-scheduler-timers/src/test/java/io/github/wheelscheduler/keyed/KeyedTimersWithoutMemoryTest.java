package io.github.wheelscheduler.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Entries end once, and none is lost, when there is no memory, or no room, for the next step. */
class KeyedTimersWithoutMemoryTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final FakeTimers source = new FakeTimers();
    private final List<String> handled = new ArrayList<>();
    private final KeyedTimers<String, String> timers = new KeyedTimers<>(
            "test",
            source,
            () -> 0,
            2,
            Long.MAX_VALUE,
            owner -> Firing.single(owner, (key, value) -> handled.add(key + value)));

    @Test
    void entryThatCannotBeArmedChangesNothing() {
        assertThat(timers.set("a", "1", SECOND)).isNull();
        source.failure = new OutOfMemoryError("test");
        assertThatThrownBy(() -> timers.set("a", "2", SECOND)).isSameAs(source.failure);
        assertThatThrownBy(() -> timers.set("b", "2", SECOND)).isSameAs(source.failure);
        assertThatThrownBy(() -> timers.setIfAbsent("b", "2", SECOND)).isSameAs(source.failure);
        source.failure = null;
        assertThat(timers.size()).isEqualTo(1);
        assertThat(timers.isPending("b")).isFalse();
        // The place that it would have had is free.
        assertThat(timers.set("b", "3", SECOND)).isNull();
        source.runArmed();
        assertThat(handled).containsExactly("a1", "b3");
        assertThat(timers.counts().rejected()).isZero();
    }

    @Test
    void keyThatCannotBeMovedStaysWhereItWas() {
        KeyedTimers<String, String> held = new KeyedTimers<>(
                "test",
                source,
                () -> 0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                owner -> new Firing<>(owner, 2, batch -> batch.forEach(entry -> handled.add(entry.value()))));
        assertThat(held.set("a", "1", SECOND)).isNull();
        // It is due, and waits for the collector.
        source.runArmed();
        // Its timer is used up, so that it needs another.
        source.failure = new OutOfMemoryError("test");
        assertThatThrownBy(() -> held.move("a", SECOND)).isSameAs(source.failure);
        assertThat(held.isPending("a")).isTrue();
        source.failure = null;
        assertThat(held.move("a", SECOND)).isTrue();
        source.runExecuted();
        assertThat(handled).isEmpty();
        assertThat(held.counts().set()).isEqualTo(1);
        assertThat(held.remove("a")).isEqualTo("1");
    }

    @Test
    void waitingEntryRunsOnTheSameWorkerIfNotPassedOn() {
        List<String> order = new ArrayList<>();
        KeyedTimers<String, String> own = new KeyedTimers<>(
                "test",
                source,
                () -> 0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                owner -> Firing.single(owner, (key, value) -> handleSettingAgain(owner, order, value)));
        assertThat(own.set("a", "1", SECOND)).isNull();
        source.runArmed();
        assertThat(order).containsExactly("1", "end of 1", "2", "end of 2");
        assertThat(own.size()).isZero();
    }

    @Test
    void batchIsCollectedOnTheSameWorkerIfNotPassedOn() {
        List<String> order = new ArrayList<>();
        KeyedTimers<String, String> own = new KeyedTimers<>(
                "test",
                source,
                () -> 0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                owner -> new Firing<>(
                        owner, 2, batch -> batch.forEach(entry -> handleSettingAgain(owner, order, entry.value()))));
        assertThat(own.set("a", "1", SECOND)).isNull();
        source.failure = new OutOfMemoryError("test");
        source.runArmed();
        assertThat(order).containsExactly("1", "end of 1", "2", "end of 2");
        assertThat(own.size()).isZero();
    }

    /**
     * A worker that cannot pass on what is due is in a long handler; what waits for the end of another one is not to
     * wait for it, too.
     */
    @Test
    void workerThatCannotPassOnDelaysNoOtherKey() throws InterruptedException {
        Gate first = new Gate();
        Gate second = new Gate();
        Queue<String> ended = new ConcurrentLinkedQueue<>();
        KeyedTimers<String, String> own = new KeyedTimers<>(
                "test",
                source,
                () -> 0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                owner -> Firing.single(owner, (key, value) -> {
                    switch (key + value) {
                        case "a1" -> first.run();
                        case "b1" -> setDue(owner, "b", "2");
                        case "b2" -> second.run();
                        default -> {}
                    }
                    ended.add(key + value);
                }));
        Thread firstWorker = new Thread(() -> setDue(own, "a", "1"));
        firstWorker.start();
        first.awaitArrivals(1);
        setDue(own, "a", "2");
        // b2 is due, and waits for a collector that does not begin.
        setDue(own, "b", "1");
        assertThat(own.set("c", "1", SECOND)).isNull();
        source.failure = new RejectedExecutionException("at its limit");
        Thread secondWorker = new Thread(source::runArmed);
        secondWorker.start();
        second.awaitArrivals(1);
        first.open();
        firstWorker.join(10_000);
        assertThat(ended).containsExactly("b1", "a1", "c1", "a2");
        second.open();
        secondWorker.join();
        assertThat(own.size()).isZero();
    }

    private void setDue(KeyedTimers<String, String> own, String key, String value) {
        assertThat(own.set(key, value, SECOND)).isNull();
        source.runArmed();
    }

    /** Another value comes due while this one is being handled, and then nothing can be passed on. */
    private void handleSettingAgain(KeyedTimers<String, String> own, List<String> order, String value) {
        order.add(value);
        if (value.equals("1")) {
            source.failure = null;
            assertThat(own.set("a", "2", SECOND)).isNull();
            source.failure = new OutOfMemoryError("test");
            source.runArmed();
        }
        order.add("end of " + value);
    }
}
