package io.github.wheelscheduler.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContendersTest {

    private static final long SECOND = 1_000_000_000L;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wheel",
                "wheel/2",
                "wheel-virtual",
                "wheel-tolerant",
                "wheel-group/8",
                "wheel-spring",
                "wheel-spring/2",
                "wheel-spring-meters",
                "wheel-spring-histograms",
                "stpe",
                "fjp",
                "fjp/8",
                "tpts/1",
                "tpts",
                "sats",
                "hwt",
                "hwt+x/8",
                "kafka",
                "agrona"
            })
    void schedulesCancelsMovesAndRepeats(String name) throws Exception {
        assumeTrue(Contenders.isOn(Runtime.version().feature(), name));
        try (Contender contender = Contenders.create(name)) {
            AtomicBoolean cancelledRan = new AtomicBoolean();
            Object cancelled = contender.schedule(task(() -> cancelledRan.set(true)), SECOND / 20);
            Object pending = contender.schedule(BenchTask.NOTHING, 3_600 * SECOND);
            contender.cancel(cancelled);
            contender.cancel(contender.move(pending, BenchTask.NOTHING, 7_200 * SECOND));
            CountDownLatch runs = new CountDownLatch(6);
            contender.repeatAtRate(task(runs::countDown), System.nanoTime() + SECOND / 50, SECOND / 50);
            contender.repeatWithDelay(task(runs::countDown), System.nanoTime() + SECOND / 50, SECOND / 50);

            assertThat(contender.absorb()).isNotNegative();
            assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(cancelledRan).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"wheel/2", "wheel-spring/2", "wheel-virtual", "stpe/2", "fjp/2", "tpts/2", "sats", "virtual"})
    void executesAndSubmits(String name) throws Exception {
        assumeTrue(Contenders.isOn(Runtime.version().feature(), name));
        try (Contender contender = Contenders.create(name)) {
            CountDownLatch runs = new CountDownLatch(2);
            contender.execute(task(runs::countDown));
            contender.submit(task(runs::countDown)).get(20, TimeUnit.SECONDS);

            assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wheel", "wheel-spring", "hwt", "kafka", "agrona", "fjp"})
    void aTimerThreadIsFound(String name) {
        assumeTrue(Contenders.isOn(Runtime.version().feature(), name));
        try (Contender contender = Contenders.create(name)) {
            contender.absorb();

            assertThat(contender.timerThread()).isNotNull();
        }
    }

    @Test
    void unknownNameIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Contenders.create("quartz"))
                .withMessage("contender must be a known one, was quartz");
    }

    private static BenchTask task(Runnable body) {
        return new BenchTask() {
            @Override
            public void run() {
                body.run();
            }
        };
    }
}
