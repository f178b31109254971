package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keyed timers ask no thread factory under a lock that other keys need. */
class KeyedTimersUnderNoLockTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicReference<@Nullable KeyedTimers<Key, String>> timers = new AtomicReference<>();
    private final List<Boolean> inTime = new CopyOnWriteArrayList<>();

    /** Keys of one hash, which share a bin of the map. */
    private record Key(int number) {

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** Another thread sets another key of the same bin while the factory is called. */
    private ThreadFactory settingFactory() {
        return task -> {
            KeyedTimers<Key, String> current = timers.getAndSet(null);
            if (current != null) {
                Thread other = new Thread(() -> current.set(new Key(2), "b", MINUTE));
                other.start();
                try {
                    other.join(5_000);
                } catch (InterruptedException ex) {
                    throw new AssertionError(ex);
                }
                inTime.add(!other.isAlive());
            }
            return new Thread(task);
        };
    }

    /** The calling thread sets it. */
    private ThreadFactory recursiveFactory() {
        return task -> {
            KeyedTimers<Key, String> current = timers.getAndSet(null);
            if (current != null) {
                inTime.add(current.set(new Key(2), "b", MINUTE) == null);
            }
            return new Thread(task);
        };
    }

    private void setWith(ThreadFactory factory) {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                        .tickThreadFactory(factory)
                        .build();
                KeyedTimers<Key, String> keyed = KeyedTimers.<Key, String>builder(executor, (key, value) -> {})
                        .build()) {
            timers.set(keyed);
            assertThat(keyed.set(new Key(1), "a", MINUTE)).isNull();
            assertThat(inTime).containsExactly(true);
            assertThat(keyed.size()).isEqualTo(2);
            assertThat(Objects.requireNonNull(keyed.remove(new Key(2)))).isEqualTo("b");
        }
    }

    @Test
    void factoryThatAwaitsAnotherCallerIsAskedUnderNoLock() {
        setWith(settingFactory());
    }

    @Test
    void factoryThatSetsAKeyItselfIsAskedUnderNoLock() {
        setWith(recursiveFactory());
    }

    /** A key that is due at once needs a thread at once. */
    private void setDueWith(UnaryOperator<WheelScheduledExecutorBuilder> threads) {
        try (WheelScheduledExecutor executor = threads.apply(
                                WheelScheduledExecutor.builder().tickThreadFactory(Thread::new))
                        .build();
                KeyedTimers<Key, String> keyed = KeyedTimers.<Key, String>builder(executor, (key, value) -> {})
                        .build()) {
            timers.set(keyed);
            assertThat(keyed.set(new Key(1), "a", Duration.ZERO)).isNull();
            awaitThat(() -> keyed.counts().fired() == 1);
            assertThat(inTime).containsExactly(true);
            assertThat(Objects.requireNonNull(keyed.remove(new Key(2)))).isEqualTo("b");
        }
    }

    @Test
    void factoryOfThreadsPerRunIsAskedUnderNoLock() {
        setDueWith(builder -> builder.threadPerRun(settingFactory()));
    }

    @Test
    void factoryOfThreadsPerRunMaySetAKey() {
        setDueWith(builder -> builder.threadPerRun(recursiveFactory()));
    }

    @Test
    void factoryOfTheFirstWorkerIsAskedUnderNoLock() {
        setDueWith(builder -> builder.threadFactory(settingFactory()));
    }

    @Test
    void factoryOfTheFirstWorkerMaySetAKey() {
        setDueWith(builder -> builder.threadFactory(recursiveFactory()));
    }

    @Test
    void dueKeyThatIsMovedAsksNoFactoryUnderTheLock() {
        Gate handler = new Gate();
        AtomicReference<ThreadFactory> current = new AtomicReference<>(Thread::new);
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                        .tickThreadFactory(Thread::new)
                        .threadPerRun(task -> current.get().newThread(task))
                        .build();
                KeyedTimers<Key, String> keyed = KeyedTimers.<Key, String>builder(
                                executor, (key, value) -> handler.run())
                        .build()) {
            assertThat(keyed.set(new Key(1), "a", Duration.ZERO)).isNull();
            handler.awaitArrivals(1);
            assertThat(keyed.set(new Key(1), "b", Duration.ZERO)).isNull();
            // It has come up, and waits for the handler of the first value.
            awaitThat(() -> executor.pendingCount() == 0 && executor.activeCount() == 1);
            timers.set(keyed);
            current.set(settingFactory());
            assertThat(keyed.move(new Key(1), Duration.ZERO)).isTrue();
            awaitThat(() -> !inTime.isEmpty());
            handler.open();
            assertThat(inTime).containsExactly(true);
        }
    }

    /** A key that waits for the handler of an earlier value needs another timer when it is moved. */
    @Test
    void observerOfAMoveIsAskedUnderNoLock() {
        Gate handler = new Gate();
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
                KeyedTimers<Key, String> keyed = KeyedTimers.<Key, String>builder(
                                executor, (key, value) -> handler.run())
                        .build()) {
            keyed.setCallObserver(new SettingObserver());
            assertThat(keyed.set(new Key(1), "a", Duration.ofNanos(1))).isNull();
            handler.awaitArrivals(1);
            assertThat(keyed.set(new Key(1), "b", Duration.ofNanos(1))).isNull();
            awaitThat(() -> executor.pendingCount() == 0 && executor.activeCount() == 1);
            timers.set(keyed);
            assertThat(keyed.move(new Key(1), MINUTE)).isTrue();
            handler.open();
            assertThat(inTime).containsExactly(true);
            assertThat(Objects.requireNonNull(keyed.remove(new Key(2)))).isEqualTo("b");
        }
    }

    /** Another thread sets another key of the same bin while it is asked for the origin of a move. */
    private final class SettingObserver implements CallObserver {

        @Override
        public Object setting(long delayNanos) {
            return "set";
        }

        @Override
        public Object moved(Object kept) {
            Thread ignored = settingFactory().newThread(() -> {});
            return "moved";
        }

        @Override
        public @Nullable Call begin(List<?> kept) {
            return null;
        }
    }

    /** Where the start of a worker has failed, callers try again; not so under the lock. */
    @Test
    void failedFactoryIsNotAskedAgainUnderTheLock() {
        AtomicBoolean failing = new AtomicBoolean(true);
        AtomicInteger asked = new AtomicInteger();
        Set<Thread> askers = ConcurrentHashMap.newKeySet();
        ThreadFactory factory = task -> {
            askers.add(Thread.currentThread());
            asked.incrementAndGet();
            if (failing.get()) {
                throw new IllegalStateException("on purpose");
            }
            return new Thread(task);
        };
        try (LogCapture log = LogCapture.of("");
                WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                        .tickThreadFactory(Thread::new)
                        .threadFactory(factory)
                        .build();
                KeyedTimers<Key, String> keyed = KeyedTimers.<Key, String>builder(executor, (key, value) -> {})
                        .build()) {
            assertThat(keyed.set(new Key(1), "a", Duration.ofNanos(1))).isNull();
            awaitThat(() -> asked.get() > 3);
            for (int i = 0; i < 1_000; i++) {
                assertThat(keyed.setIfAbsent(new Key(2), "b", MINUTE)).isTrue();
                assertThat(keyed.remove(new Key(2))).isEqualTo("b");
            }
            failing.set(false);
            awaitThat(() -> keyed.counts().fired() == 1);
            assertThat(askers).doesNotContain(Thread.currentThread());
            assertThat(log.messages()).singleElement().asString().contains("No worker could be started");
        }
    }

    @Test
    void factoryThatFailsLeavesNothing() {
        AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>(new IllegalStateException("none"));
        ThreadFactory failing = task -> {
            RuntimeException thrown = failure.getAndSet(null);
            if (thrown != null) {
                throw thrown;
            }
            return new Thread(task);
        };
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                        .tickThreadFactory(failing)
                        .build();
                KeyedTimers<Key, String> keyed = KeyedTimers.<Key, String>builder(executor, (key, value) -> {})
                        .build()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> keyed.set(new Key(1), "a", MINUTE))
                    .withMessage("none");
            assertThat(keyed.size()).isZero();
            assertThat(keyed.setIfAbsent(new Key(1), "a", MINUTE)).isTrue();
        }
    }
}
