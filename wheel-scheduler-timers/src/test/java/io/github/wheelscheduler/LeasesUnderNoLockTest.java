package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A renewer calls no factory, decorator, clock or key of the user's under a lock that other threads need. */
class LeasesUnderNoLockTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicReference<@Nullable LeaseRenewer<Object>> renewer = new AtomicReference<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> blocked = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

    /** The user's code: another thread keeps a lease, and looks for the end of the first one. */
    private void call(String where, boolean closes) {
        LeaseRenewer<Object> current = renewer.get();
        if (current == null || isInside.get()) {
            return;
        }
        int call = calls.incrementAndGet();
        Thread other = new Thread(() -> {
            isInside.set(true);
            Lease<Object> first = current.find("first");
            if (first != null && closes) {
                first.close(Duration.ZERO);
            }
            try {
                current.keep("other-" + call, MINUTE, current.start(), (key, reason) -> {})
                        .close();
            } catch (RejectedExecutionException ex) {
                // The test is over.
            }
        });
        other.start();
        try {
            other.join(5_000);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
        if (other.isAlive()) {
            blocked.add(where);
        }
    }

    private ThreadFactory factory(boolean closes) {
        return task -> {
            Thread created = new Thread(() -> {
                isInside.set(true);
                task.run();
            });
            call("factory", closes);
            return created;
        };
    }

    private WheelScheduledExecutor newExecutor(boolean closes) {
        return WheelScheduledExecutor.builder()
                .threadFactory(factory(closes))
                .tickThreadFactory(factory(closes))
                .decorator(timer -> {
                    call("decorator", closes);
                    return timer;
                })
                .build();
    }

    private LeaseRenewer<Object> renewing(WheelScheduledExecutor executor) {
        renewer.set(
                LeaseRenewer.builder(executor, key -> Renewal.Outcome.RENEWED).build());
        return Objects.requireNonNull(renewer.get());
    }

    @Test
    void keepCallsUserCodeUnderNoLock() {
        try (WheelScheduledExecutor executor = newExecutor(false);
                LeaseRenewer<Object> leases = renewing(executor)) {
            Lease<Object> lease = leases.keep("first", MINUTE, leases.start(), (key, reason) -> {});
            assertThat(blocked).isEmpty();
            assertThat(calls).hasValueGreaterThan(1);
            assertThat(lease.isKept()).isTrue();
            renewer.set(null);
        }
    }

    @Test
    void leaseThatIsClosedWhileItBeginsLeavesNoTimer() {
        try (WheelScheduledExecutor executor = newExecutor(true);
                LeaseRenewer<Object> leases = renewing(executor)) {
            Lease<Object> lease = leases.keep("first", MINUTE, leases.start(), (key, reason) -> {});
            renewer.set(null);
            assertThat(blocked).isEmpty();
            assertThat(lease.isKept()).isFalse();
            assertThat(leases.counts().kept()).isZero();
            // What compares the clocks ends as well.
            awaitThat(() -> executor.pendingCount() == 0);
        }
    }

    @Test
    void renewalIsArmedUnderNoLock() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                        .decorator(timer -> {
                            call("decorator", false);
                            return timer;
                        })
                        .build();
                LeaseRenewer<Object> leases = renewing(executor)) {
            Lease<Object> lease = leases.keep("first", Duration.ofSeconds(30), leases.start(), (key, reason) -> {});
            int before = calls.get();
            assertThat(lease.isKept()).isTrue();
            Lease<Object> quick = leases.keep("quick", Duration.ofMillis(600), leases.start(), (key, reason) -> {});
            awaitThat(() -> leases.counts().renewals() > 1 && calls.get() > before + 2);
            renewer.set(null);
            assertThat(quick.isKept()).isTrue();
            assertThat(blocked).isEmpty();
        }
    }

    private final class AskedKey {

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            call("key", false);
            Lease<Object> current = kept;
            if (current != null && !isInside.get()) {
                Thread other = new Thread(() -> {
                    isInside.set(true);
                    current.close(Duration.ZERO);
                });
                other.start();
                try {
                    other.join(5_000);
                } catch (InterruptedException ex) {
                    throw new AssertionError(ex);
                }
                if (other.isAlive()) {
                    blocked.add("key of a lease");
                }
            }
            return 1;
        }
    }

    private volatile @Nullable Lease<Object> kept;

    @Test
    void keyIsAskedUnderNoLock() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
                LeaseRenewer<Object> leases = renewing(executor)) {
            Lease<Object> lease = leases.keep(new AskedKey(), MINUTE, leases.start(), (key, reason) -> {});
            kept = lease;
            lease.close();
            kept = null;
            renewer.set(null);
            assertThat(blocked).isEmpty();
            assertThat(calls).hasPositiveValue();
            assertThat(leases.counts().closed()).isGreaterThan(0);
        }
    }

    @Test
    void clockIsReadUnderNoLock() {
        InstantSource clock = () -> {
            if (!isInside.get()) {
                call("clock", true);
            }
            return Instant.EPOCH;
        };
        try (WheelScheduledExecutor executor =
                        WheelScheduledExecutor.builder().wallClock(clock).build();
                LeaseRenewer<Object> leases = renewing(executor)) {
            renewer.set(null);
            for (int i = 0; i < 20; i++) {
                Lease<Object> lease = leases.keep("first", Duration.ofMillis(60), leases.start(), (key, reason) -> {});
                // The next reading is that of the renewal, or of what follows it.
                renewer.set(leases);
                awaitThat(() -> !lease.isKept() && leases.find("first") == null);
                renewer.set(null);
            }
            assertThat(blocked).isEmpty();
        }
    }
}
