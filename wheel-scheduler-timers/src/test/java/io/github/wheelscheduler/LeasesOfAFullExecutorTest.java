package io.github.wheelscheduler;

import static io.github.wheelscheduler.lease.Renewal.Outcome.RENEWED;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseEnd;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases of a batch go on once the executor accepts timers again, wherever the renewal was when it did not. */
class LeasesOfAFullExecutorTest {

    private static final int LEASES = 5;
    private static final Duration THREE = Duration.ofSeconds(3);

    private final AtomicBoolean fillsWhenClockIsRead = new AtomicBoolean();
    private final AtomicBoolean fillsWhenRenewed = new AtomicBoolean();
    private final Queue<WheelTimer<?>> others = new ConcurrentLinkedQueue<>();
    private final VirtualTime time =
            new VirtualTime(options -> options.maxPending(40).wallClock(this::wallClock));
    private final LeaseRenewer<Integer> renewer =
            LeaseRenewer.batchBuilder(time.executor, 2, this::renew).build();
    private final List<Lease<Integer>> leases = new ArrayList<>();

    @AfterEach
    void close() {
        time.close();
    }

    private Instant wallClock() {
        if (fillsWhenClockIsRead.get()) {
            fill();
        }
        return Instant.EPOCH;
    }

    private Map<Integer, Outcome> renew(List<Integer> keys) {
        if (fillsWhenRenewed.get()) {
            fill();
        }
        return keys.stream().collect(toMap(key -> key, key -> RENEWED));
    }

    /** Takes all permits that are left. */
    private void fill() {
        try {
            while (true) {
                others.add(time.executor.schedule(() -> {}, 1, HOURS));
            }
        } catch (RejectedExecutionException ex) {
            assertThat(ex).hasMessageContaining("max-pending");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leasesAreRenewedAgainOnceThereIsRoom(boolean isFullAsTheyBegin) {
        for (int key = 0; key < LEASES; key++) {
            leases.add(renewer.keep(key, THREE, renewer.start(), (lost, reason) -> {}));
        }
        time.pass(Duration.ofMillis(900));
        (isFullAsTheyBegin ? fillsWhenClockIsRead : fillsWhenRenewed).set(true);
        // The renewals are due, and two looks at the leases follow.
        time.pass(Duration.ofMillis(1_500));
        fillsWhenClockIsRead.set(false);
        fillsWhenRenewed.set(false);
        for (WheelTimer<?> other : others) {
            boolean ignored = other.cancel(false);
        }
        time.pass(Duration.ofSeconds(20));
        assertThat(leases).allMatch(Lease::isKept);
        assertThat(renewer.counts().lost()).isZero();
        // About one a second each.
        assertThat(renewer.counts().renewals()).isBetween(17L * LEASES, 24L * LEASES);
        assertThat(leases).allMatch(lease -> lease.close(Duration.ZERO) == LeaseEnd.CLOSED);
    }
}
