package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread of the executor goes on, no matter what the user's code throws at it. */
class HostileUserCodeTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @RegisterExtension
    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);

    private static final String TEXTLESS = "task = " + Textless.class.getName();

    private final Runnable textless = new Textless();

    @Test
    void taskWithoutATextHarmsNoFeeder() throws Exception {
        AtomicInteger offers = new AtomicInteger();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .executor(run -> {
                    if (offers.getAndIncrement() == 0) {
                        throw new RejectedExecutionException("full");
                    }
                    run.run();
                })
                .build());
        executor.execute(textless);
        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        assertThat(log.messages()).singleElement().asString().contains(TEXTLESS);
        assertEnds(executor);
    }

    @Test
    void taskWithoutATextHarmsNoWorker() throws Exception {
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .maxWorkers(2)
                .decorator(timer -> () -> {
                    timer.run();
                    throw new AssertionError("on purpose");
                })
                .build());
        for (int i = 0; i < 4; i++) {
            WheelTimer<?> unused = executor.scheduleWithFixedDelay(textless, 0, 1, HOURS);
        }
        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        awaitThat(() -> log.messages().size() == 5);
        assertThat(log.messages()).filteredOn(line -> line.contains(TEXTLESS)).hasSize(4);
        assertEnds(executor);
    }

    @Test
    void taskWithoutATextIsRejectedAsOthersAre() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().maxPending(1).build());
        WheelTimer<?> first = executor.schedule(textless, 1, HOURS);
        assertThat(first.toString()).contains(TEXTLESS);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> executor.execute(textless))
                .withMessageContaining("max-pending is 1");
    }

    @Test
    void threadThatCannotBeInterruptedEndsItsRunAllTheSame() throws Exception {
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(Thread::new)
                .threadFactory(StubbornThread::new)
                .build());
        Gate gate = new Gate();
        WheelTimer<?> timer = executor.schedule(gate, 0, NANOSECONDS);
        gate.awaitArrivals(1);
        assertThatIllegalStateException().isThrownBy(() -> timer.cancel(true));
        assertThat(timer.isCancelled()).isTrue();
        gate.open();
        assertEnds(executor);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 3_000})
    void wallClockThatFailsWithManyMessagesBehindItDoesNotStopTheTickThread(int messages) throws Exception {
        Gate broken = new Gate();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(task -> new Thread(task, "tick"))
                .threadFactory(task -> new Thread(task, "worker"))
                .wallClock(() -> {
                    if (Thread.currentThread().getName().equals("tick") && broken.arrivals() == 0) {
                        broken.run();
                        throw new AssertionError("on purpose");
                    }
                    return Instant.now();
                })
                .build());
        Future<String> before = executor.schedule(() -> "before", 300, MILLISECONDS);
        AtomicInteger ran = new AtomicInteger();
        WheelTimer<?> instant =
                executor.scheduleAt(ran::incrementAndGet, Instant.now().plusMillis(300));
        broken.awaitArrivals(1);
        for (int i = 0; i < messages; i++) {
            WheelTimer<?> unused = executor.schedule(() -> {}, 1, HOURS);
        }
        Future<String> behind = executor.schedule(() -> "behind", 1, MILLISECONDS);
        broken.open();
        assertThat(behind.get(30, SECONDS)).isEqualTo("behind");
        assertThat(before.get(30, SECONDS)).isEqualTo("before");
        Object ignored = instant.get(30, SECONDS);
        assertThat(ran).hasValue(1);
        assertThat(executor.pendingCount()).isEqualTo(messages);
        assertThat(log.messages()).singleElement().asString().contains("Reading the wall clock failed");
    }

    private static void assertEnds(WheelScheduledExecutor executor) throws InterruptedException {
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(executor.activeCount()).isZero();
    }

    private static final class Textless implements Runnable {

        @Override
        public void run() {}

        @Override
        public String toString() {
            throw new IllegalStateException("on purpose");
        }
    }

    private static final class StubbornThread extends Thread {

        StubbornThread(Runnable task) {
            super(task);
        }

        @Override
        public void interrupt() {
            throw new IllegalStateException("on purpose");
        }
    }
}
