package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.wheelscheduler.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A run that no worker was woken for, in trust of a follow-up, is followed up. The test plays the tick thread. */
class FollowUpTest {

    private static final long INTERVAL = 300_000;
    private static final int MAX_WORKERS = 8;

    private final ElasticPool pool = new ElasticPool(
            ElasticPool.ThreadPolicy.KEEP_SOME,
            FollowUpTest::daemon,
            new Starter(() -> {}, () -> {}),
            MAX_WORKERS,
            TimeUnit.MINUTES.toNanos(1),
            System::nanoTime,
            new NoListener(),
            null);
    private final List<Gate> gates = new ArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    @BeforeEach
    void haveFourIdleWorkers() {
        pool.startIfShort(true);
        List<Gate> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(handOverGate());
        }
        pool.signalHandOver(false);
        all.forEach(gate -> gate.awaitArrivals(1));
        all.forEach(Gate::open);
        awaitThat(() -> pool.activeCount() == 0 && pool.threadCount() >= 4 && pool.awakeCount() == 0);
    }

    @AfterEach
    void stop() {
        gates.forEach(Gate::open);
        assertThat(pool.stopNow()).isNotNull();
    }

    private Gate handOverGate() {
        Gate gate = new Gate();
        gates.add(gate);
        pool.handOver(gate, 0);
        return gate;
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void runBehindALongOneIsFollowedUpAfterTheLoad(long now) {
        pool.setFollowedUp(true);
        Gate shortRun = handOverGate();
        pool.signalHandOver(false);
        shortRun.awaitArrivals(1);

        pool.followUp(now, INTERVAL);
        Gate longRun = handOverGate();
        pool.handOver(ran::incrementAndGet, 0);
        pool.signalHandOver(true);
        shortRun.open();
        longRun.awaitArrivals(1);

        // The load is over, and a message keeps the tick thread from its sleep.
        pool.setFollowedUp(false);
        pool.followUp(now + INTERVAL / 6, INTERVAL);
        assertThat(ran).hasValue(0);
        assertThat(pool.isFollowUpOwed()).isTrue();
        pool.followUp(now + INTERVAL, INTERVAL);
        awaitThat(() -> ran.get() == 1);
        assertThat(pool.isFollowUpOwed()).isFalse();
    }

    @Test
    void workersWithShortRunsAreJoinedOnceTheyGetStuck() {
        int enough = Runtime.getRuntime().availableProcessors() + 1;
        assumeThat(enough).isLessThan(MAX_WORKERS - 1);
        List<Gate> others = new ArrayList<>();
        for (int i = 0; i < enough; i++) {
            others.add(handOverGate());
        }
        pool.signalHandOver(false);
        others.forEach(gate -> gate.awaitArrivals(1));

        long now = 0;
        pool.followUp(now, INTERVAL);
        pool.setFollowedUp(true);
        AtomicInteger shortRuns = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            pool.handOver(shortRuns::incrementAndGet, 0);
        }
        Gate longRun = handOverGate();
        pool.handOver(ran::incrementAndGet, 0);
        pool.signalHandOver(false);
        longRun.awaitArrivals(1);
        assertThat(shortRuns).hasValue(1_000);

        now += INTERVAL;
        pool.followUp(now, INTERVAL);
        assertThat(pool.isFollowUpOwed()).isTrue();
        assertThat(ran).hasValue(0);
        now += INTERVAL;
        pool.followUp(now, INTERVAL);
        awaitThat(() -> ran.get() == 1);
    }

    @Test
    void workersThatDoNotKeepUpWakeEachOtherAgain() {
        pool.setFollowedUp(true);
        List<Gate> longRuns = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            longRuns.add(handOverGate());
        }
        pool.signalHandOver(false);
        longRuns.get(0).awaitArrivals(1);

        long now = 0;
        pool.followUp(now, INTERVAL);
        pool.setFollowedUp(true);
        now += INTERVAL;
        pool.followUp(now, INTERVAL);
        pool.setFollowedUp(true);
        longRuns.forEach(gate -> gate.awaitArrivals(1));
    }

    private static final class NoListener implements Workers.Listener {

        @Override
        public void wentIdle() {}

        @Override
        public void ended() {}

        @Override
        public boolean touch(Runnable run) {
            return false;
        }

        @Override
        public boolean isOver(Runnable run) {
            return false;
        }

        @Override
        public long starting(Runnable run, long expiredNanos) {
            return 0;
        }
    }
}
