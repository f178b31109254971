package io.github.wheelscheduler.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of entries whose keys fail when their time comes: no other key is harmed. */
class FailingKeysTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final FakeTimers source = new FakeTimers();
    private final List<String> handled = new ArrayList<>();
    private final KeyedTimers<Object, String> batches = new KeyedTimers<>(
            "test",
            source,
            () -> 0,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            owner -> new Firing<>(owner, 10, batch -> batch.forEach(entry -> handled.add(entry.value()))));

    /** Its hash fails if it is told so, as often as it is told. */
    private static final class FailingKey {

        private final AtomicReference<@Nullable Error> failure = new AtomicReference<>();
        private final AtomicInteger failuresLeft = new AtomicInteger();

        void fail(Error error, int times) {
            failure.set(error);
            failuresLeft.set(times);
        }

        @Override
        public int hashCode() {
            Error told = failure.get();
            if (told != null && failuresLeft.getAndDecrement() > 0) {
                throw told;
            }
            return 1;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }
    }

    @Test
    void keyWithoutMemoryForItsHashIsHandledWhenThereIsSome() {
        for (int times = 1; times < 8; times++) {
            handled.clear();
            FailingKey key = new FailingKey();
            assertThat(batches.set("before", "1", SECOND)).isNull();
            assertThat(batches.set(key, "2", SECOND)).isNull();
            assertThat(batches.set("after", "3", SECOND)).isNull();
            key.fail(new OutOfMemoryError("test"), times);
            source.runArmed();
            source.runExecuted();
            assertThat(handled).containsExactly("1", "2", "3");
            assertThat(batches.size()).isZero();
        }
        assertThat(batches.counts().dropped()).isZero();
    }

    @Test
    void keyThatFailsIsDroppedAndHarmsNoOther() {
        FailingKey key = new FailingKey();
        assertThat(batches.set("before", "1", SECOND)).isNull();
        assertThat(batches.set(key, "2", SECOND)).isNull();
        assertThat(batches.set("after", "3", SECOND)).isNull();
        key.fail(new StackOverflowError("test"), Integer.MAX_VALUE);
        source.runArmed();
        source.runExecuted();
        assertThat(handled).containsExactly("1", "3");
        assertThat(batches.counts().dropped()).isEqualTo(1);
        assertThat(batches.size()).isZero();
        // Their turns have ended.
        assertThat(batches.set("before", "4", SECOND)).isNull();
        source.runArmed();
        source.runExecuted();
        assertThat(handled).containsExactly("1", "3", "4");
        assertThat(batches.set("drained", "5", SECOND)).isNull();
        assertThat(batches.drain((drained, value) -> handled.add(value))).isEqualTo(1);
        assertThat(batches.set("closed", "6", SECOND)).isNull();
        batches.close();
        assertThat(handled).containsExactly("1", "3", "4", "5");
        assertThat(batches.counts().closed()).isEqualTo(1);
        assertThat(source.armed()).isZero();
    }

    @Test
    void closeEndsTheOthersThoughAKeyFails() {
        FailingKey key = new FailingKey();
        assertThat(batches.set("before", "1", SECOND)).isNull();
        assertThat(batches.set(key, "2", SECOND)).isNull();
        assertThat(batches.set("after", "3", SECOND)).isNull();
        key.fail(new StackOverflowError("test"), Integer.MAX_VALUE);
        batches.close();
        assertThat(batches.counts().closed()).isEqualTo(3);
        assertThat(source.armed()).isZero();
    }
}
