package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Interleavings of what can be done with a key, on the production classes. What the verbs answer must be explained by
 * some order of them one after the other, where the coming of a time is one of them; and in the end every entry must
 * have been accounted for once.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class KeyedTimersLincheckIT {

    @Test
    void verbsUnderTheModelChecker() {
        modelChecking().check(Verbs.class);
    }

    @Test
    void verbsUnderStress() {
        new StressOptions()
                .iterations(Scale.of(5, 200))
                .invocationsPerIteration(Scale.of(500, 10_000))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .check(Verbs.class);
    }

    @Test
    void turnsUnderTheModelChecker() {
        modelCheckingTurns().check(SingleTurns.class);
    }

    @Test
    void turnsOfBatchesUnderTheModelChecker() {
        modelCheckingTurns().check(BatchTurns.class);
    }

    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .iterations(Scale.of(3, 30))
                .invocationsPerIteration(Scale.of(50, 500))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2);
    }

    /** Few threads that do little, so that what seldom meets does. */
    private static ModelCheckingOptions modelCheckingTurns() {
        return new ModelCheckingOptions()
                .iterations(Scale.of(2, 30))
                .invocationsPerIteration(Scale.of(100, 5_000))
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    private static KeyedTimers<String, Integer> newTimers(
            FakeTimers source, Function<KeyedTimers<String, Integer>, Firing<String, Integer>> firing) {
        return new KeyedTimers<>("test", source, () -> 0, Long.MAX_VALUE, Long.MAX_VALUE, firing);
    }

    private static void check(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError(rule);
        }
    }

    /**
     * All that can be done with one key; its time comes on one thread at a time, so that handlers do not wait for each
     * other.
     */
    @Param(name = "value", gen = IntGen.class, conf = "1:3")
    public static class Verbs {

        private static final String KEY = "key";
        private static final Duration DELAY = Duration.ofSeconds(1);

        private final FakeTimers source = new FakeTimers();
        private final List<Integer> handled = new ArrayList<>();
        private final KeyedTimers<String, Integer> timers =
                newTimers(source, owner -> Firing.single(owner, (key, value) -> handled.add(value)));

        @Operation
        public @Nullable Integer set(@Param(name = "value") int value) {
            return timers.set(KEY, value, DELAY);
        }

        @Operation
        public boolean setIfAbsent(@Param(name = "value") int value) {
            return timers.setIfAbsent(KEY, value, DELAY);
        }

        @Operation
        public boolean move() {
            return timers.move(KEY, DELAY);
        }

        @Operation
        public @Nullable Integer remove() {
            return timers.remove(KEY);
        }

        @Operation
        public boolean isPending() {
            return timers.isPending(KEY);
        }

        /** Answers with the sum of the values and how many they were. */
        @Operation
        public String drain() {
            AtomicInteger sum = new AtomicInteger();
            long number = timers.drain((key, value) -> sum.addAndGet(value));
            return number + ": " + sum;
        }

        /** Its time comes. Answers with the value that the handler was called with. */
        @Operation(nonParallelGroup = "worker")
        public @Nullable Integer expire() {
            handled.clear();
            // A timer that is run may be the one before by now.
            while (handled.isEmpty() && source.armed() > 0) {
                source.runArmedUntil(() -> !handled.isEmpty());
            }
            return handled.isEmpty() ? null : handled.get(0);
        }

        @Validate
        public void accountedOnce() {
            KeyedTimerCounts counts = timers.counts();
            long ended = counts.fired() + counts.removed() + counts.replaced() + counts.drained();
            check(counts.set() == ended + (timers.isPending(KEY) ? 1 : 0), "each entry must end once: " + counts);
            check(source.armed() == counts.pending(), "nothing else must be armed: " + source.armed());
        }
    }

    /** Times come on all threads, so that handlers wait for each other. */
    @Param(name = "value", gen = IntGen.class, conf = "1:3")
    public abstract static class Turns {

        private static final String KEY = "key";
        private static final Duration DELAY = Duration.ofSeconds(1);

        private final FakeTimers source = new FakeTimers();
        private final AtomicInteger inHandler = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();
        private final KeyedTimers<String, Integer> timers = newTimers(source, this::firing);

        abstract Firing<String, Integer> firing(KeyedTimers<String, Integer> owner);

        void handle() {
            check(inHandler.incrementAndGet() == 1, "handlers of one key must not overlap");
            calls.incrementAndGet();
            inHandler.decrementAndGet();
        }

        @Operation
        public void setAndExpire(@Param(name = "value") int value) {
            Integer ignored = timers.set(KEY, value, DELAY);
            expire();
        }

        @Operation
        public void moveAndExpire() {
            boolean ignored = timers.move(KEY, DELAY);
            expire();
        }

        private void expire() {
            source.runArmed();
            source.runExecuted();
        }

        @Validate
        public void nothingIsLost() {
            expire();
            KeyedTimerCounts counts = timers.counts();
            check(counts.failures() == 0, "handlers of one key must not overlap");
            check(!timers.isPending(KEY) && counts.pending() == 0, "what is due must be handled: " + counts);
            check(calls.get() == counts.fired(), "each must be handled once: " + counts);
        }
    }

    public static class SingleTurns extends Turns {
        @Override
        Firing<String, Integer> firing(KeyedTimers<String, Integer> owner) {
            return Firing.single(owner, (key, value) -> handle());
        }
    }

    public static class BatchTurns extends Turns {
        @Override
        Firing<String, Integer> firing(KeyedTimers<String, Integer> owner) {
            return new Firing<>(owner, 2, batch -> batch.forEach(entry -> handle()));
        }
    }
}
