package io.github.wheelscheduler.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Timed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A thousand leases of three seconds, while every worker of the executor sleeps and two threads use the processors up.
 */
@Timed
class LeasesUnderLoadTest {

    private static final int LEASES = 1_000;
    private static final int WORKERS = 256;
    private static final Duration LENGTH = Duration.ofSeconds(3);
    private static final int SECONDS = Scale.of(4, 10, 60);

    @Test
    void noneIsLostAndEachIsRenewed() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Gate gate = new Gate();
        CountDownLatch lost = new CountDownLatch(1);
        ConcurrentHashMap<Integer, AtomicInteger> renewals = new ConcurrentHashMap<>();
        try (WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().maxWorkers(WORKERS).build()) {
            for (int i = 0; i < WORKERS; i++) {
                executor.execute(gate);
            }
            gate.awaitArrivals(WORKERS);
            List<Thread> burners = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread burner = new Thread(() -> {
                    while (!ended.get()) {
                        Thread.onSpinWait();
                    }
                });
                burner.start();
                burners.add(burner);
            }
            try (LeaseRenewer<Integer> renewer = LeaseRenewer.<Integer>builder(executor, key -> {
                        renewals.computeIfAbsent(key, any -> new AtomicInteger())
                                .incrementAndGet();
                        return Outcome.RENEWED;
                    })
                    .build()) {
                for (int i = 0; i < LEASES; i++) {
                    Lease<Integer> ignored =
                            renewer.keep(i, LENGTH, renewer.start(), (key, reason) -> lost.countDown());
                }
                assertThat(lost.await(SECONDS, TimeUnit.SECONDS))
                        .as("one is lost")
                        .isFalse();
                assertThat(renewals).hasSize(LEASES);
                // A lease that is renewed less often than once in its length is lost.
                assertThat(renewals.values()).allMatch(count -> count.get() >= SECONDS / 3);
                assertThat(renewer.counts().kept()).isEqualTo(LEASES);
            } finally {
                ended.set(true);
                gate.open();
                for (Thread burner : burners) {
                    burner.join();
                }
            }
        }
    }
}
