package io.github.wheelscheduler.idle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.timers.TimerSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Moves that come between a reading of the clock and the move that follows from it. */
class IdleRunTest {

    private static final long IDLE_NANOS = 1_000;

    private final List<String> handled = new ArrayList<>();
    private final Source source = new Source();
    private final IdleTimeouts<String> timeouts =
            new IdleTimeouts<>("test", source, Long.MAX_VALUE, Long.MAX_VALUE, handled::add);
    private final IdleRun<String> run = new IdleRun<>(timeouts, source, "key", IDLE_NANOS);

    @Test
    void touchThatComesToItLateTakesNoLaterOneBack() {
        source.nowNanos = 400;
        source.afterReading = () -> {
            source.nowNanos = 800;
            assertThat(run.touch()).isTrue();
        };
        assertThat(run.touch()).isTrue();
        source.nowNanos = 1_799;
        run.run();
        assertThat(handled).isEmpty();
        source.nowNanos = 1_800;
        run.run();
        assertThat(handled).containsExactly("key");
    }

    @Test
    void touchBetweenTheLookAndTheExpiryIsInTime() {
        source.nowNanos = 1_000;
        source.afterReading = () -> assertThat(run.touch()).isTrue();
        run.run();
        assertThat(handled).isEmpty();
        source.nowNanos = 2_000;
        run.run();
        assertThat(handled).containsExactly("key");
        assertThat(run.touch()).isFalse();
    }

    @Test
    void touchAfterTheExpiryHasBeenDecidedIsTooLate() {
        source.nowNanos = 900;
        source.afterReading = () -> {
            source.nowNanos = 1_000;
            run.run();
        };
        assertThat(run.touch()).isFalse();
        assertThat(handled).containsExactly("key");
    }

    /** As when there was no memory to look through all of them. */
    @Test
    void timeoutThatACloseHasLeftEndsWhenItComesUp() {
        timeouts.handlers.close();
        source.nowNanos = 999;
        run.run();
        assertThat(run.isOpen()).isTrue();
        source.nowNanos = 1_000;
        run.run();
        assertThat(run.isOpen()).isFalse();
        assertThat(run.restNanos()).isEqualTo(IDLE_NANOS);
        assertThat(handled).isEmpty();
        assertThat(timeouts.counts().closed()).isOne();
    }

    @Test
    void timeoutClosedBeforeItsRejectionCountsOnce() {
        source.armed = () -> {
            timeouts.close();
            throw new RejectedExecutionException("on purpose");
        };
        assertThatThrownBy(() -> timeouts.register("other", Duration.ofSeconds(1)))
                .hasMessage("on purpose");
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(1, 0, 1, 0, 0));
        assertThatThrownBy(() -> timeouts.register("other", Duration.ofSeconds(1)))
                .hasMessageContaining("closed");
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(1, 0, 1, 1, 0));
    }

    @Test
    void rejectionByTheExecutorIsCounted() {
        source.armed = () -> {
            throw new RejectedExecutionException("on purpose");
        };
        assertThatThrownBy(() -> timeouts.register("other", Duration.ofSeconds(1)))
                .hasMessage("on purpose");
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(0, 0, 0, 1, 0));
    }

    private static final class Source implements TimerSource {

        private long nowNanos;

        /** Happens once, after the next reading, before the reader can go on. */
        private @Nullable Runnable afterReading;

        /** Called in place of arming a timer. */
        private Runnable armed = () -> {};

        @Override
        public long nanoTime() {
            long reading = nowNanos;
            Runnable next = afterReading;
            afterReading = null;
            if (next != null) {
                next.run();
            }
            return reading;
        }

        @Override
        public WheelTimer<?> schedule(Runnable task, long delayNanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public WheelTimer<?> repeat(Runnable task, long delayNanos) {
            armed.run();
            throw new UnsupportedOperationException();
        }
    }
}
