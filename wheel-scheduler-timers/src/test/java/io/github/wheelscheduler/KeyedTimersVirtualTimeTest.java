package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.keyed.DueEntry;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keyed timers in virtual time. */
class KeyedTimersVirtualTimeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private VirtualTime time = new VirtualTime();

    @AfterEach
    void stop() {
        time.close();
    }

    private KeyedTimers<String, String> timers(BiConsumer<String, String> handler) {
        return KeyedTimers.<String, String>builder(time.executor, handler).build();
    }

    private KeyedTimers<String, String> timers() {
        return timers(this::note);
    }

    private void note(String key, String value) {
        handled.add(time.millis() + " " + key + "=" + value);
    }

    private List<String> take() {
        List<String> taken = List.copyOf(handled);
        handled.clear();
        return taken;
    }

    // The verbs

    @Test
    void handlesAKeyOnceAtItsTime() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", Duration.ofMillis(500))).isNull();
        time.pass(Duration.ofMillis(499));
        assertThat(take()).isEmpty();
        assertThat(timers.isPending("a")).isTrue();
        time.pass(Duration.ofMillis(10));
        assertThat(take()).containsExactly("500 a=1");
        time.pass(Duration.ofDays(1));
        assertThat(take()).isEmpty();
        assertThat(timers.isPending("a")).isFalse();
        assertThat(timers.size()).isZero();
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void worksWhereTheClockWrapsOrChangesItsSign(long origin) {
        time.close();
        time = new VirtualTime(origin, builder -> builder);
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.set("b", "2", SECOND)).isNull();
        assertThat(timers.move("b", Duration.ofSeconds(3))).isTrue();
        assertThat(timers.remaining("b"))
                .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(3).plusNanos(8));
        time.pass(Duration.ofSeconds(4));
        assertThat(take()).containsExactly("1000 a=1", "3000 b=2");
    }

    @Test
    void movesAreCountedAndLatenessIsOnceItIsMeasured() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.move("a", SECOND)).isTrue();
        assertThat(timers.move("b", SECOND)).isFalse();
        assertThat(timers.set("a", "2", SECOND)).isEqualTo("1");
        assertThat(timers.moves()).isOne();
        time.executor.pause();
        time.pass(Duration.ofSeconds(3));
        // It is due, and gets another timer.
        assertThat(timers.move("a", SECOND)).isTrue();
        assertThat(timers.moves()).isEqualTo(2);
        time.pass(Duration.ofSeconds(3));
        time.executor.resume();
        time.pass(Duration.ofMillis(1));
        assertThat(take()).hasSize(1);
        assertThat(timers.lateness()).isZero();
        timers.measureLateness();
        time.executor.pause();
        assertThat(timers.set("c", "3", SECOND)).isNull();
        assertThat(timers.set("d", "4", SECOND)).isNull();
        time.pass(Duration.ofSeconds(3));
        time.executor.resume();
        time.pass(Duration.ofMillis(1));
        assertThat(take()).hasSize(2);
        assertThat(timers.lateness()).isBetween(Duration.ofMillis(3_999), Duration.ofMillis(4_010));
    }

    @Test
    void zeroAndNegativeDelaysMeanNow() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", Duration.ZERO)).isNull();
        assertThat(timers.set("b", "2", Duration.ofSeconds(Long.MIN_VALUE))).isNull();
        assertThat(timers.setIfAbsent("c", "3", Duration.ofNanos(-1))).isTrue();
        time.awaitQuiet();
        assertThat(take()).containsExactlyInAnyOrder("0 a=1", "0 b=2", "0 c=3");
    }

    @Test
    void longestDelayIsFarAway() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", Duration.ofSeconds(Long.MAX_VALUE))).isNull();
        time.pass(Duration.ofDays(10_000));
        assertThat(take()).isEmpty();
        assertThat(timers.remaining("a")).isGreaterThan(Duration.ofDays(30_000));
    }

    @Test
    void settingAPendingKeyReplacesItsValueAndItsTime() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.set("a", "2", Duration.ofSeconds(3))).isEqualTo("1");
        assertThat(timers.size()).isEqualTo(1);
        time.pass(Duration.ofSeconds(5));
        assertThat(take()).containsExactly("3000 a=2");
        assertThat(timers.counts().replaced()).isEqualTo(1);
        assertThat(time.executor.pendingCount()).isZero();
    }

    @Test
    void setIfAbsentLeavesAPendingKeyAlone() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.setIfAbsent("a", "1", SECOND)).isTrue();
        assertThat(timers.setIfAbsent("a", "2", Duration.ofMillis(1))).isFalse();
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).containsExactly("1000 a=1");
        assertThat(timers.setIfAbsent("a", "3", SECOND)).isTrue();
    }

    @Test
    void movesAKeyEarlierAndLater() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", Duration.ofSeconds(10))).isNull();
        assertThat(timers.set("b", "2", Duration.ofSeconds(10))).isNull();
        assertThat(timers.set("c", "3", Duration.ofSeconds(10))).isNull();
        assertThat(timers.move("a", SECOND)).isTrue();
        assertThat(timers.move("b", Duration.ofSeconds(20))).isTrue();
        assertThat(timers.move("c", Duration.ofSeconds(-1))).isTrue();
        assertThat(timers.move("nobody", SECOND)).isFalse();
        time.pass(Duration.ofSeconds(30));
        assertThat(take()).containsExactly("0 c=3", "1000 a=1", "20000 b=2");
        assertThat(timers.move("a", SECOND)).isFalse();
        assertThat(timers.counts().set()).isEqualTo(3);
    }

    @Test
    void moveWhoseObserverFailsMovesNothing() {
        KeyedTimers<String, String> timers = timers();
        timers.setCallObserver(new CallObserver() {
            @Override
            public Object setting(long delayNanos) {
                return "set";
            }

            @Override
            public Object moved(Object kept) {
                throw new OutOfMemoryError("on purpose");
            }

            @Override
            public @Nullable Call begin(List<?> kept) {
                return null;
            }
        });
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThatThrownBy(() -> timers.move("a", Duration.ofMillis(500))).hasMessage("on purpose");
        assertThatThrownBy(() -> timers.move("a", Duration.ofMinutes(1))).hasMessage("on purpose");
        assertThat(timers.moves()).isZero();
        time.pass(SECOND);
        assertThat(take()).containsExactly("1000 a=1");
    }

    @Test
    void removedKeyIsNotHandled() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.remove("a")).isEqualTo("1");
        assertThat(timers.remove("a")).isNull();
        assertThat(timers.remaining("a")).isNull();
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).isEmpty();
        assertThat(time.executor.pendingCount()).isZero();
    }

    @Test
    void drainHandsOverEachPairOnceAndLeavesTheKeysUsable() {
        KeyedTimers<String, String> timers = timers();
        for (String key : List.of("a", "b", "c")) {
            assertThat(timers.set(key, key, SECOND)).isNull();
        }
        List<String> drained = new ArrayList<>();
        assertThat(timers.drain((key, value) -> drained.add(key + value))).isEqualTo(3);
        assertThat(drained).containsExactlyInAnyOrder("aa", "bb", "cc");
        assertThat(timers.drain((key, value) -> drained.add(key))).isZero();
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).isEmpty();
        assertThat(timers.set("a", "again", SECOND)).isNull();
        time.pass(Duration.ofSeconds(2));
        assertThat(handled).hasSize(1);
    }

    @Test
    void entriesThatAFailingConsumerHasNotSeenStayPending() {
        KeyedTimers<String, String> timers = timers();
        for (String key : List.of("a", "b", "c")) {
            assertThat(timers.set(key, key, SECOND)).isNull();
        }
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> timers.drain((key, value) -> {
                    if (calls.incrementAndGet() == 2) {
                        throw new IllegalStateException("full");
                    }
                }))
                .hasMessage("full");
        assertThat(timers.size()).isEqualTo(1);
        time.pass(Duration.ofSeconds(2));
        assertThat(handled).hasSize(1);
        assertThat(timers.counts().drained()).isEqualTo(2);
    }

    @Test
    void nullsAreNamed() {
        KeyedTimers<String, String> timers = timers();
        assertThatThrownBy(() -> timers.set(null, "1", SECOND)).hasMessage("key must not be null");
        assertThatThrownBy(() -> timers.set("a", null, SECOND)).hasMessage("value must not be null");
        assertThatThrownBy(() -> timers.set("a", "1", null)).hasMessage("delay must not be null");
        assertThatThrownBy(() -> timers.setIfAbsent("a", null, SECOND)).hasMessage("value must not be null");
        assertThatThrownBy(() -> timers.move(null, SECOND)).hasMessage("key must not be null");
        assertThatThrownBy(() -> timers.move("a", null)).hasMessage("delay must not be null");
        assertThatThrownBy(() -> timers.remove(null)).hasMessage("key must not be null");
        assertThatThrownBy(() -> timers.isPending(null)).hasMessage("key must not be null");
        assertThatThrownBy(() -> timers.remaining(null)).hasMessage("key must not be null");
        assertThatThrownBy(() -> timers.drain(null)).hasMessage("consumer must not be null");
        assertThatThrownBy(() -> KeyedTimers.builder(time.executor, null)).hasMessage("handler must not be null");
        assertThatThrownBy(() -> KeyedTimers.builder(null, (key, value) -> {})).hasMessage("executor must not be null");
        assertThatThrownBy(() -> KeyedTimers.batchBuilder(time.executor, 0, batch -> {}))
                .hasMessage("maxBatch must be at least 1, was 0");
        assertThatThrownBy(() ->
                        KeyedTimers.builder(time.executor, (key, value) -> {}).maxSize(0))
                .hasMessage("maxSize must be at least 1, was 0");
    }

    // Handlers

    @Test
    void keyIsGoneBeforeItsHandlerSoItMaySetItAgain() {
        AtomicReference<KeyedTimers<String, String>> self = new AtomicReference<>();
        KeyedTimers<String, String> timers = timers((key, value) -> {
            note(key, value);
            KeyedTimers<String, String> own = self.get();
            assertThat(own.isPending(key)).isFalse();
            assertThat(own.remove(key)).isNull();
            if (value.length() < 3) {
                assertThat(own.set(key, value + "+", SECOND)).isNull();
            }
        });
        self.set(timers);
        assertThat(timers.set("a", "1", SECOND)).isNull();
        time.pass(Duration.ofSeconds(10));
        assertThat(take()).containsExactly("1000 a=1", "2000 a=1+", "3000 a=1++");
        assertThat(timers.counts().failures()).isZero();
        assertThat(timers.counts().fired()).isEqualTo(3);
    }

    @Test
    void failingHandlerHarmsNoOtherKeyAndLogsNoSecrets() {
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            IllegalStateException failure = new IllegalStateException("refused");
            KeyedTimers<String, String> timers = timers((key, value) -> {
                note(key, value);
                throw failure;
            });
            assertThat(timers.set("secret-key", "secret-value", SECOND)).isNull();
            assertThat(timers.set("b", "2", SECOND)).isNull();
            time.pass(Duration.ofSeconds(2));
            assertThat(handled).hasSize(2);
            assertThat(timers.counts().failures()).isEqualTo(2);
            assertThat(log.hasError(failure)).isTrue();
            // Once a minute.
            assertThat(log.messages()).hasSize(1).noneMatch(message -> message.contains("secret"));
        }
    }

    @Test
    void noTextShowsAKeyOrAValue() {
        List<String> texts = new ArrayList<>();
        time.executor.setRunObserver((task, wheel, queue, now) -> texts.add(String.valueOf(task)));
        KeyedTimers<String, String> timers = timers((key, value) ->
                texts.add(time.executor.runningFor(Duration.ZERO).toString()));
        assertThat(timers.set("secret", "secret", SECOND)).isNull();
        texts.add(timers.toString());
        texts.add(timers.counts().toString());
        texts.add(new DueEntry<>("secret", "secret").toString());
        time.pass(Duration.ofSeconds(2));
        assertThat(texts).hasSize(5).noneMatch(text -> text.contains("secret"));
    }

    @Test
    void waitingHandlersOfOneKeyDoNotOverlapAndHoldNoThread() {
        Gate gate = new Gate();
        KeyedTimers<String, String> timers = timers((key, value) -> {
            if (value.equals("1")) {
                gate.run();
            }
            note(key, value);
        });
        assertThat(timers.set("a", "1", SECOND)).isNull();
        time.executor.execute(() -> {});
        time.clock.advance(Duration.ofSeconds(2));
        gate.awaitArrivals(1);
        assertThat(timers.set("a", "2", Duration.ZERO)).isNull();
        assertThat(timers.set("b", "3", Duration.ZERO)).isNull();
        awaitIdleBut(1);
        // It waits, as before it was due: it can be seen, and what else is due is handled.
        assertThat(timers.remaining("a")).isZero();
        assertThat(take()).containsExactly("2000 b=3");
        gate.open();
        time.awaitQuiet();
        assertThat(take()).containsExactly("2000 a=1", "2000 a=2");
        assertThat(timers.counts().fired()).isEqualTo(3);
    }

    @Test
    void waitingEntryCanStillBeRemovedMovedAndReplaced() {
        Gate gate = new Gate();
        KeyedTimers<String, String> timers = timers((key, value) -> {
            if (value.equals("1")) {
                gate.run();
            }
            note(key, value);
        });
        for (String key : List.of("a", "b", "c", "d")) {
            assertThat(timers.set(key, "1", Duration.ZERO)).isNull();
        }
        gate.awaitArrivals(4);
        for (String key : List.of("a", "b", "c", "d")) {
            assertThat(timers.set(key, "2", Duration.ZERO)).isNull();
        }
        awaitIdleBut(4);
        assertThat(timers.remove("a")).isEqualTo("2");
        assertThat(timers.move("b", SECOND)).isTrue();
        assertThat(timers.set("c", "3", SECOND)).isEqualTo("2");
        assertThat(timers.setIfAbsent("d", "3", SECOND)).isFalse();
        gate.open();
        time.awaitQuiet();
        assertThat(take()).containsExactlyInAnyOrder("0 a=1", "0 b=1", "0 c=1", "0 d=1", "0 d=2");
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).containsExactlyInAnyOrder("1000 b=2", "1000 c=3");
        assertThat(timers.counts().pending()).isZero();
    }

    /** Waits until no task is on its way, and so many handlers run. */
    private void awaitIdleBut(int handlers) {
        // In this order, which is that of a key that is due: inbox, tick thread, workers.
        awaitThat(() -> time.executor.snapshot().inbox() == 0
                && time.clock.isAwaited()
                && time.executor.readyCount() == 0
                && time.executor.activeCount() == handlers);
    }

    // Batches

    @Test
    void entriesDueTogetherComeInListsOfBoundedLength() {
        List<List<DueEntry<String, String>>> batches = new ArrayList<>();
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>batchBuilder(time.executor, 4, batch -> {
                    synchronized (batches) {
                        batches.add(List.copyOf(batch));
                    }
                })
                .build();
        for (int i = 0; i < 10; i++) {
            assertThat(timers.set("key" + i, "value" + i, SECOND)).isNull();
        }
        time.executor.pause();
        time.pass(Duration.ofSeconds(2));
        time.executor.resume();
        time.awaitQuiet();
        assertThat(batches).allSatisfy(batch -> assertThat(batch).hasSizeBetween(1, 4));
        assertThat(batches.stream().flatMap(List::stream).map(DueEntry::key).distinct())
                .hasSize(10);
        assertThat(batches).hasSizeLessThan(10);
        assertThat(timers.counts().fired()).isEqualTo(10);
    }

    @Test
    void failingBatchIsOneFailureAndHarmsNoOther() {
        AtomicInteger batches = new AtomicInteger();
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            KeyedTimers<String, String> timers = KeyedTimers.<String, String>batchBuilder(time.executor, 1, batch -> {
                        batches.incrementAndGet();
                        assertThatThrownBy(batch::clear).isInstanceOf(UnsupportedOperationException.class);
                        throw new IllegalStateException("refused");
                    })
                    .build();
            for (int i = 0; i < 5; i++) {
                assertThat(timers.set("key" + i, "value", SECOND)).isNull();
            }
            time.pass(Duration.ofSeconds(2));
            assertThat(batches).hasValue(5);
            assertThat(timers.counts().failures()).isEqualTo(5);
            assertThat(log.messages()).hasSize(1);
            assertThat(timers.counts().pending()).isZero();
        }
    }

    @Test
    void batchesOfOneKeyDoNotOverlap() {
        Gate gate = new Gate();
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>batchBuilder(
                        time.executor,
                        10,
                        batch -> batch.forEach(entry -> {
                            if (entry.value().equals("1")) {
                                gate.run();
                            }
                            note(entry.key(), entry.value());
                        }))
                .build();
        assertThat(timers.set("a", "1", Duration.ZERO)).isNull();
        gate.awaitArrivals(1);
        assertThat(timers.set("a", "2", Duration.ZERO)).isNull();
        assertThat(timers.set("b", "3", Duration.ZERO)).isNull();
        awaitIdleBut(1);
        assertThat(take()).containsExactly("0 b=3");
        gate.open();
        time.awaitQuiet();
        assertThat(take()).containsExactly("0 a=1", "0 a=2");
    }

    // Bounds and ends

    @Test
    void fullMapRejectsNewKeysWithTheNumbers() {
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(time.executor, this::note)
                .maxSize(2)
                .build();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.set("b", "2", SECOND)).isNull();
        assertThatThrownBy(() -> timers.set("c", "3", SECOND))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("Rejected, because max-size is 2, and 2 keys are pending");
        assertThat(timers.isPending("c")).isFalse();
        // A key that is pending has its place already.
        assertThat(timers.set("a", "4", SECOND)).isEqualTo("1");
        assertThat(timers.move("b", SECOND)).isTrue();
        assertThat(timers.remove("b")).isEqualTo("2");
        assertThat(timers.set("c", "3", SECOND)).isNull();
        time.pass(Duration.ofSeconds(2));
        assertThat(handled).hasSize(2);
        assertThat(timers.set("d", "1", SECOND)).isNull();
        assertThat(timers.set("e", "1", SECOND)).isNull();
        assertThat(timers.counts().rejected()).isEqualTo(1);
    }

    @Test
    void rejectedEntryChangesNothing() {
        time.close();
        time = new VirtualTime(builder -> builder.maxPending(1).rejectionHandler((timer, reason) -> {}));
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThatThrownBy(() -> timers.set("secret", "secret", SECOND))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("max-pending is 1")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> timers.set("a", "2", SECOND)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> timers.setIfAbsent("b", "2", SECOND)).isInstanceOf(RejectedExecutionException.class);
        assertThat(timers.size()).isEqualTo(1);
        assertThat(timers.isPending("b")).isFalse();
        assertThat(timers.counts().rejected()).isEqualTo(3);
        assertThat(timers.move("a", Duration.ofSeconds(2))).isTrue();
        time.pass(Duration.ofSeconds(3));
        assertThat(take()).containsExactly("2000 a=1");
    }

    @Test
    void shutDownExecutorRunsEntriesAndAcceptsNoMore() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        time.executor.shutdown();
        assertThatThrownBy(() -> timers.set("a", "2", SECOND)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> timers.set("b", "2", SECOND)).isInstanceOf(RejectedExecutionException.class);
        assertThat(timers.size()).isEqualTo(1);
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).containsExactly("1000 a=1");
        assertThat(timers.size()).isZero();
    }

    @Test
    void entriesOfAStoppedExecutorCanStillBeDrained() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.set("b", "2", SECOND)).isNull();
        assertThat(time.executor.shutdownNow()).hasSize(2);
        assertThatThrownBy(() -> timers.set("c", "3", SECOND)).isInstanceOf(RejectedExecutionException.class);
        assertThat(timers.remove("a")).isEqualTo("1");
        List<String> drained = new ArrayList<>();
        assertThat(timers.drain((key, value) -> drained.add(key))).isEqualTo(1);
        assertThat(drained).containsExactly("b");
        assertThat(timers.counts().pending()).isZero();
    }

    @Test
    void decoratorIsNotAskedAndDelaysMayBeZeroAllTheSame() {
        time.close();
        time = new VirtualTime(builder -> builder.decorator(timer -> {
            throw new IllegalStateException("not for this");
        }));
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", Duration.ZERO)).isNull();
        assertThat(timers.set("b", "2", SECOND)).isNull();
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).containsExactly("0 a=1", "1000 b=2");
    }

    @Test
    void closingDropsWhatIsPendingAndAcceptsNoMore() {
        KeyedTimers<String, String> timers = timers();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        assertThat(timers.set("b", "2", SECOND)).isNull();
        timers.close();
        timers.close();
        assertThatThrownBy(() -> timers.set("a", "1", SECOND))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("Rejected, because the keyed timers have been closed");
        assertThat(timers.move("a", SECOND)).isFalse();
        assertThat(timers.remove("a")).isNull();
        assertThat(timers.size()).isZero();
        time.pass(Duration.ofSeconds(2));
        assertThat(take()).isEmpty();
        assertThat(timers.counts().closed()).isEqualTo(2);
        assertThat(time.executor.isShutdown()).isFalse();
    }

    @Test
    void closingWaitsForHandlers() throws Exception {
        Gate gate = new Gate();
        KeyedTimers<String, String> timers = timers((key, value) -> {
            gate.run();
            note(key, value);
        });
        assertThat(timers.set("a", "1", Duration.ZERO)).isNull();
        gate.awaitArrivals(1);
        AtomicInteger seen = new AtomicInteger(-1);
        Thread closer = new Thread(() -> {
            timers.close();
            seen.set(handled.size());
        });
        closer.start();
        awaitThat(() -> closer.getState() == Thread.State.TIMED_WAITING);
        assertThat(seen).hasValue(-1);
        gate.open();
        closer.join(30_000);
        assertThat(seen).hasValue(1);
    }

    @Test
    void interruptEndsTheWaitForHandlers() throws Exception {
        Gate gate = new Gate();
        KeyedTimers<String, String> timers = timers((key, value) -> gate.run());
        assertThat(timers.set("a", "1", Duration.ZERO)).isNull();
        gate.awaitArrivals(1);
        Thread.currentThread().interrupt();
        timers.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(gate.interrupts()).isZero();
        gate.open();
    }

    @Test
    void closingAndDrainingFromWithinAHandlerDoNotWaitForIt() {
        AtomicReference<KeyedTimers<String, String>> self = new AtomicReference<>();
        KeyedTimers<String, String> timers = timers((key, value) -> {
            long drained = self.get().drain((otherKey, otherValue) -> note(otherKey, otherValue));
            self.get().close();
            note(key, value + drained);
        });
        self.set(timers);
        assertThat(timers.set("b", "2", Duration.ofSeconds(5))).isNull();
        assertThat(timers.set("a", "1", SECOND)).isNull();
        time.pass(Duration.ofSeconds(10));
        assertThat(take()).containsExactly("1000 b=2", "1000 a=11");
        assertThat(timers.counts().failures()).isZero();
    }

    // Keys that change

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPendingKeyThatChangesIsDroppedAndKeepsNoWorkerBusy(boolean inBatches) {
        List<ChangingKey> called = new ArrayList<>();
        KeyedTimers<ChangingKey, String> timers = changing(inBatches, called);
        List<ChangingKey> keys = List.of(new ChangingKey("a"), new ChangingKey("b"), new ChangingKey("c"));
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            for (ChangingKey key : keys) {
                assertThat(timers.set(key, "value", SECOND)).isNull();
                key.text += " changed";
            }
            time.clock.advance(SECOND.plusMillis(1));
            awaitThat(() -> timers.counts().dropped() == keys.size());
            awaitThat(() -> time.executor.activeCount() == 0);
            assertThat(timers.size()).isZero();
            assertThat(called).isEmpty();
            assertThat(log.said("changed, so its handler is not called")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handlerThatChangesItsKeyHoldsNoEqualKeyUp(boolean inBatches) {
        Gate gate = new Gate();
        List<String> handled = new CopyOnWriteArrayList<>();
        BiConsumer<ChangingKey, String> handler = (key, value) -> {
            if (value.equals("first")) {
                gate.run();
                key.text = "changed";
            }
            handled.add(value);
        };
        try (KeyedTimers<ChangingKey, String> timers = inBatches
                ? KeyedTimers.<ChangingKey, String>batchBuilder(
                                time.executor,
                                1,
                                batch -> batch.forEach(each -> handler.accept(each.key(), each.value())))
                        .build()
                : KeyedTimers.builder(time.executor, handler).build()) {
            ChangingKey first = new ChangingKey("a");
            assertThat(timers.set(first, "first", Duration.ZERO)).isNull();
            gate.awaitArrivals(1);
            assertThat(timers.set(new ChangingKey("a"), "second", Duration.ZERO))
                    .isNull();
            awaitThat(() -> time.executor.activeCount() == 1 && time.executor.readyCount() == 0);
            gate.open();
            awaitThat(() -> handled.contains("second"));
            first.text = "a";
            assertThat(timers.set(first, "third", Duration.ZERO)).isNull();
            awaitThat(() -> handled.contains("third"));
            assertThat(timers.size()).isZero();
        }
    }

    @Test
    void handlerThatEqualsItsKeyToAnotherHoldsNoneUp() {
        Gate gate = new Gate();
        List<String> handled = new CopyOnWriteArrayList<>();
        try (KeyedTimers<ChangingKey, String> timers = KeyedTimers.<ChangingKey, String>builder(
                        time.executor, (key, value) -> {
                            if (value.equals("running")) {
                                gate.run();
                            } else {
                                key.text = "BB";
                            }
                            handled.add(value);
                        })
                .build()) {
            assertThat(timers.set(new ChangingKey("BB"), "running", Duration.ZERO))
                    .isNull();
            gate.awaitArrivals(1);
            // The hash of both is the same.
            assertThat(timers.set(new ChangingKey("Aa"), "changing", Duration.ZERO))
                    .isNull();
            awaitThat(() -> handled.contains("changing") && time.executor.activeCount() == 1);
            gate.open();
            awaitThat(() -> handled.contains("running"));
            assertThat(timers.set(new ChangingKey("BB"), "again", Duration.ZERO))
                    .isNull();
            awaitThat(() -> handled.contains("again"));
        }
    }

    @Test
    void firstKeyIsRefusedWithoutTheRejectionHandler() {
        AtomicInteger calls = new AtomicInteger();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .rejectionHandler((timer, reason) -> calls.incrementAndGet())
                .build();
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(executor, (key, value) -> {})
                .build();
        executor.shutdown();
        assertThatThrownBy(() -> timers.set("a", "value", SECOND)).isInstanceOf(RejectedExecutionException.class);
        assertThat(calls).hasValue(0);
        assertThat(timers.counts().rejected()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keyThatHasChangedIsNotFoundAndIsDrainedAndClosed(boolean inBatches) {
        KeyedTimers<ChangingKey, String> timers = changing(inBatches, new ArrayList<>());
        ChangingKey drained = new ChangingKey("a");
        assertThat(timers.set(drained, "value", SECOND)).isNull();
        drained.text = "changed";
        assertThat(timers.isPending(drained)).isFalse();
        assertThat(timers.remaining(drained)).isNull();
        assertThat(timers.remove(drained)).isNull();
        assertThat(timers.drain((key, value) -> {})).isEqualTo(1);
        ChangingKey closed = new ChangingKey("b");
        assertThat(timers.set(closed, "value", SECOND)).isNull();
        closed.text = "changed, too";
        timers.close();
        assertThat(timers.counts().closed()).isEqualTo(1);
        assertThat(time.executor.pendingCount()).isZero();
    }

    @Test
    void keyThatHasChangedStaysNowhereOnceItIsDropped() {
        KeyedTimers<ChangingKey, String> timers = changing(false, new ArrayList<>());
        List<WeakReference<ChangingKey>> changed = new ArrayList<>();
        // The hash of the first two is the same.
        for (String text : List.of("Aa", "BB", "c", "d")) {
            ChangingKey key = new ChangingKey(text);
            assertThat(timers.set(key, "value", SECOND)).isNull();
            if (text.equals("d")) {
                key = new ChangingKey(text);
                assertThat(timers.set(key, "other value", SECOND)).isNotNull();
            }
            key.text += " changed";
            changed.add(new WeakReference<>(key));
        }
        time.clock.advance(SECOND.plusMillis(1));
        awaitThat(() -> timers.counts().dropped() == changed.size());
        awaitThat(() -> {
            System.gc();
            return changed.stream().allMatch(key -> key.get() == null);
        });
        assertThat(timers.size()).isZero();
    }

    @Test
    void changedKeysOfOneHashStayNowhereIfDroppedAtOnce() {
        KeyedTimers<ChangingKey, String> timers = changing(false, new ArrayList<>());
        List<WeakReference<ChangingKey>> changed = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            for (String end : List.of("Aa", "BB")) {
                ChangingKey key = new ChangingKey(i + end);
                assertThat(timers.set(key, "value", SECOND)).isNull();
                key.text += " changed";
                changed.add(new WeakReference<>(key));
            }
        }
        time.clock.advance(SECOND.plusMillis(1));
        awaitThat(() -> timers.counts().dropped() == changed.size());
        awaitThat(() -> {
            System.gc();
            return changed.stream().allMatch(key -> key.get() == null);
        });
    }

    @Test
    void closedTimersHoldNoKeyHoweverManyHaveOneHash() {
        KeyedTimers<ChangingKey, String> timers = changing(false, new ArrayList<>());
        List<WeakReference<ChangingKey>> changed = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            String text = Integer.toBinaryString(64 + i).replace("0", "Aa").replace("1", "BB");
            ChangingKey key = new ChangingKey(text);
            assertThat(timers.set(key, "value", SECOND)).isNull();
            key.text += " changed";
            changed.add(new WeakReference<>(key));
        }
        timers.close();
        awaitThat(() -> {
            System.gc();
            return changed.stream().allMatch(key -> key.get() == null);
        });
        assertThat(timers.counts().closed()).isEqualTo(changed.size());
    }

    private KeyedTimers<ChangingKey, String> changing(boolean inBatches, List<ChangingKey> called) {
        return inBatches
                ? KeyedTimers.<ChangingKey, String>batchBuilder(
                                time.executor, 10, batch -> batch.forEach(entry -> called.add(entry.key())))
                        .build()
                : KeyedTimers.<ChangingKey, String>builder(time.executor, (key, value) -> called.add(key))
                        .build();
    }

    /** Breaks what maps ask of keys. */
    private static final class ChangingKey {

        private String text;

        ChangingKey(String text) {
            this.text = text;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ChangingKey key && key.text.equals(text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }
}
