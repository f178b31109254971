package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A worker that is woken ahead of a run waits awake for it, not for long, and no wake-up is lost by that. */
class WakeAheadTest extends ElasticPoolFixture {

    private static final long UNTIL = 100;

    /** How often workers have read the clock: one that waits awake reads it all the time. */
    private final AtomicLong readings = new AtomicLong();

    private final AtomicLong now = new AtomicLong();

    private ElasticPool startIdle() {
        clock = () -> {
            readings.incrementAndGet();
            return now.get();
        };
        ElasticPool workers = start(1, LONG);
        run(workers);
        awaitParked(workers);
        return workers;
    }

    /** Waits until the only worker has marked itself idle and parked: before, it may look at the queue once more. */
    private void awaitParked(ElasticPool workers) {
        awaitIdle(workers);
        awaitThat(() -> threads.get(0).getState() == Thread.State.WAITING);
    }

    private void awaitAwake() {
        long before = readings.get();
        awaitThat(() -> readings.get() > before + 10);
    }

    @Test
    void workerThatWaitsAwakeTakesARunThatNoSignalFollows() {
        ElasticPool workers = startIdle();
        workers.wakeAhead(UNTIL);
        awaitAwake();
        workers.handOver(ran::incrementAndGet, 0);
        awaitThat(() -> ran.get() == 2);
        awaitIdle(workers);
        run(workers);
    }

    @Test
    void workerFallsIdleOnceTheTimeIsOver() {
        ElasticPool workers = startIdle();
        workers.wakeAhead(UNTIL);
        awaitAwake();
        now.set(UNTIL);
        awaitParked(workers);
        run(workers);
    }

    @Test
    void pauseAndStopEndTheWait() {
        ElasticPool workers = startIdle();
        workers.wakeAhead(UNTIL);
        awaitAwake();
        workers.pause();
        workers.handOver(ran::incrementAndGet, 0);
        awaitParked(workers);
        assertThat(ran).hasValue(1);
        workers.resume();
        workers.signal();
        awaitThat(() -> ran.get() == 2);
        awaitParked(workers);
        workers.wakeAhead(UNTIL);
        awaitAwake();
        workers.stop();
        awaitThat(workers::hasEnded);
    }

    @Test
    void idleWorkerIsLeftAloneWhileAnotherIsAwake() {
        ElasticPool workers = startIdle();
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        workers.wakeAhead(UNTIL);
        gate.open();
        awaitParked(workers);
        long before = readings.get();
        workers.handOver(ran::incrementAndGet, 0);
        assertThat(ran).hasValue(1);
        assertThat(readings.get()).isLessThan(before + 10);
        workers.signal();
        awaitThat(() -> ran.get() == 2);
    }

    @Test
    void eachRunRunsHoweverWakeUpsAheadFall() {
        ElasticPool workers = start(2, LONG);
        Seed.play(random -> {
            int count = Scale.of(5_000, 20_000, 20_000);
            int before = ran.get();
            for (int i = 0; i < count; i++) {
                if (random.nextInt(3) != 0) {
                    workers.wakeAhead(System.nanoTime() + random.nextInt(20_000));
                }
                long untilNanos = System.nanoTime() + random.nextInt(20_000);
                while (random.nextBoolean() && System.nanoTime() - untilNanos < 0) {
                    Thread.onSpinWait();
                }
                handOver(workers, ran::incrementAndGet);
                if (random.nextInt(8) == 0) {
                    int handedOver = before + i + 1;
                    awaitThat(() -> ran.get() == handedOver);
                }
            }
            awaitThat(() -> ran.get() == before + count);
        });
    }
}
