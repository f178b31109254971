package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A close of keyed timers or idle timeouts waits for handlers that run, up to a limit. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ClosingWithHandlersTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final WheelScheduledExecutor executor =
            stops.use(WheelScheduledExecutor.builder().build());
    private final CountDownLatch started = new CountDownLatch(1);
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final CountDownLatch never = new CountDownLatch(1);

    private void handle() {
        started.countDown();
        try {
            boolean ignored = never.await(1, TimeUnit.HOURS);
            ended.complete(false);
        } catch (InterruptedException ex) {
            ended.complete(true);
        }
    }

    @Test
    void endlessHandlerIsInterruptedAfterTheLimit() throws Exception {
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(executor, (key, value) -> handle())
                .closeLimit(Duration.ofMillis(50))
                .build();
        String ignored = timers.set("key", "value", Duration.ZERO);
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        timers.close();
        assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void handlerOfAnIdleTimeoutIsInterruptedAfterTheLimit() throws Exception {
        IdleTimeouts<String> timeouts = IdleTimeouts.<String>builder(executor, key -> handle())
                .closeLimit(Duration.ZERO)
                .build();
        IdleTimeout ignored = timeouts.register("key", Duration.ofMillis(1));
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        timeouts.close();
        assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interruptDoesNotOutliveTheHandler() throws Exception {
        WheelScheduledExecutor single =
                stops.use(WheelScheduledExecutor.builder().maxWorkers(1).build());
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(single, (key, value) -> {
                    started.countDown();
                    boolean isInterrupted = false;
                    while (!isInterrupted) {
                        // It looks, and leaves the interrupt where it is.
                        isInterrupted = Thread.currentThread().isInterrupted();
                        Thread.onSpinWait();
                    }
                })
                .closeLimit(Duration.ZERO)
                .build();
        String ignored = timers.set("key", "value", Duration.ZERO);
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        timers.close();
        assertThat(single.submit(() -> Thread.currentThread().isInterrupted()).get(30, TimeUnit.SECONDS))
                .isFalse();
    }

    @Test
    void handlerThatIgnoresInterruptsIsLeftAloneAndTold() throws Exception {
        AtomicBoolean mayEnd = new AtomicBoolean();
        try (LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class)) {
            KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(executor, (key, value) -> {
                        started.countDown();
                        while (!mayEnd.get()) {
                            Thread.onSpinWait();
                        }
                    })
                    .name("stubborn ones")
                    .closeLimit(Duration.ZERO)
                    .build();
            String ignored = timers.set("key", "value", Duration.ZERO);
            assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
            timers.close();
            assertThat(log.messages())
                    .anyMatch(message -> message.contains("Closing stubborn ones")
                            && message.contains("1 threads are still running one"));
        } finally {
            mayEnd.set(true);
        }
    }

    @Test
    void limitThatIsNegativeIsToldWithTheRule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyedTimers.<String, String>builder(executor, (key, value) -> {})
                        .closeLimit(Duration.ofSeconds(-1)))
                .withMessage("closeLimit must not be negative, was PT-1S");
    }
}
