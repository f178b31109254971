package io.github.wheelscheduler;

import static io.github.wheelscheduler.lease.Renewal.Outcome.RENEWED;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseEnd;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.LossListener.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A thread stands still, as when the machine is suspended, between the begin of a renewal and the call of the store.
 */
class LeaseExpiryBeforeRenewalTest {

    /** A renewal reads the clock as it begins: to look whether the lease is over, and to note its start. */
    private static final int READS_OF_A_BEGIN = 2;

    private final AtomicInteger readsOfBegins = new AtomicInteger();
    private final VirtualTime time = new VirtualTime(options -> options.wallClock(this::wallClock));
    private final List<String> told = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        time.close();
    }

    /** Goes on by an hour right after the begin of the first renewal. */
    private Instant wallClock() {
        boolean isOver = readsOfBegins.get() >= READS_OF_A_BEGIN;
        boolean isOfBegin = StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("beginRenewal")));
        if (isOfBegin) {
            int ignored = readsOfBegins.incrementAndGet();
        }
        return isOver ? Instant.EPOCH.plusSeconds(3_600) : Instant.EPOCH;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void leaseThatIsOverIsLostInsteadOfRenewed(int maxBatch) {
        LeaseRenewer<String> renewer = LeaseRenewer.<String>batchBuilder(time.executor, maxBatch, keys -> {
                    keys.forEach(key -> told.add("renew " + key));
                    return keys.stream().collect(toMap(key -> key, key -> RENEWED));
                })
                .build();
        Lease<String> lease = renewer.keep(
                "key", Duration.ofSeconds(3), renewer.start(), (key, reason) -> told.add(reason + " " + key));
        time.pass(Duration.ofMillis(1_100));
        awaitThat(() -> !told.isEmpty());
        time.pass(Duration.ofSeconds(10));
        assertThat(told).containsExactly(Reason.EXPIRED + " key");
        assertThat(lease.close(Duration.ZERO)).isEqualTo(LeaseEnd.LOST);
        assertThat(renewer.counts().failures()).isZero();
    }
}
