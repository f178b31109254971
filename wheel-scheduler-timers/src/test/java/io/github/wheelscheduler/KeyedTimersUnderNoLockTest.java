package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.keyed.KeyedTimers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
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
