package io.github.wheelscheduler;

import static io.github.wheelscheduler.lease.Renewal.Outcome.GONE;
import static io.github.wheelscheduler.lease.Renewal.Outcome.RENEWED;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseEnd;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.LossListener.Reason;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases are renewed, told lost and forgotten though clocks, keys and rejection handlers of the user's do harm. */
class HarmedLeasesTest {

    private static final Duration THREE = Duration.ofSeconds(3);

    /** The answer of a clock that does harm. */
    enum Harm {
        NULL,
        ERROR,
        NO_MEMORY;

        @SuppressWarnings("NullAway") // as code that is not checked may do it
        Instant answer() {
            return switch (this) {
                case NULL -> null;
                case ERROR -> throw new AssertionError("on purpose");
                case NO_MEMORY -> throw new OutOfMemoryError("on purpose");
            };
        }
    }

    /** A key that changes, or fails. */
    private static final class HarmfulKey {

        private int hash = 1;
        private @Nullable Error failure;

        @Override
        public int hashCode() {
            fail();
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            fail();
            return this == other;
        }

        private void fail() {
            if (failure != null) {
                throw failure;
            }
        }
    }

    private final List<String> lost = Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<Outcome> answer = new AtomicReference<>(RENEWED);

    private void lost(Object key, Reason reason) {
        lost.add(reason.toString());
    }

    private LeaseRenewer<Object> renewer(VirtualTime time, int maxBatch) {
        return maxBatch == 1
                ? LeaseRenewer.builder(time.executor, key -> answer.get())
                        .name("single")
                        .build()
                : LeaseRenewer.batchBuilder(
                                time.executor,
                                maxBatch,
                                keys -> keys.stream().collect(toMap(key -> key, key -> answer.get())))
                        .build();
    }

    @ParameterizedTest
    @EnumSource
    void clockThatCannotBeReadOnceEndsNoRenewals(Harm harm) {
        for (int harmed = 1; harmed < 25; harmed++) {
            AtomicInteger untilHarm = new AtomicInteger(harmed);
            try (VirtualTime time = new VirtualTime(options ->
                    options.wallClock(() -> untilHarm.decrementAndGet() == 0 ? harm.answer() : Instant.EPOCH))) {
                for (int maxBatch = 1; maxBatch < 3; maxBatch++) {
                    untilHarm.set(harmed);
                    LeaseRenewer<Object> renewer = renewer(time, maxBatch);
                    Lease<Object> lease = renewer.keep("a", THREE, renewer.start(), this::lost);
                    time.pass(Duration.ofSeconds(20));
                    assertThat(untilHarm).hasNonPositiveValue();
                    assertThat(lease.isKept()).isTrue();
                    assertThat(renewer.counts().renewals()).isBetween(17L, 24L);
                    assertThat(lease.close(Duration.ZERO)).isEqualTo(LeaseEnd.CLOSED);
                    renewer.close();
                }
            }
        }
        assertThat(lost).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void lossIsToldThoughTheClockCannotBeRead(Harm harm) {
        AtomicBoolean isHarmed = new AtomicBoolean();
        try (VirtualTime time =
                new VirtualTime(options -> options.wallClock(() -> isHarmed.get() ? harm.answer() : Instant.EPOCH))) {
            LeaseRenewer<Object> renewer = renewer(time, 1);
            Lease<Object> ignored = renewer.keep("a", THREE, renewer.start(), this::lost);
            answer.set(Outcome.FAILED);
            isHarmed.set(true);
            time.pass(Duration.ofSeconds(10));
            assertThat(lost).containsExactly("EXPIRED");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaseWhoseKeyDoesHarmIsToldLostAndForgotten(boolean fails) throws InterruptedException {
        try (VirtualTime time = new VirtualTime()) {
            LeaseRenewer<Object> renewer = renewer(time, 1);
            HarmfulKey key = new HarmfulKey();
            Lease<Object> ignored = renewer.keep(key, THREE, renewer.start(), this::lost);
            HarmfulKey other = new HarmfulKey();
            Lease<Object> kept = renewer.keep(other, THREE, renewer.start(), this::lost);
            if (fails) {
                key.failure = new StackOverflowError("on purpose");
                other.failure = key.failure;
            } else {
                key.hash = 2;
                other.hash = 3;
            }
            answer.set(GONE);
            time.pass(THREE);
            // An answer for a key that fails is not found.
            String reason = fails ? "EXPIRED" : "GONE";
            assertThat(lost).containsExactly(reason, reason);
            assertThat(renewer.counts().kept()).isZero();
            assertThat(kept.close(Duration.ZERO)).isEqualTo(LeaseEnd.LOST);
            // Not even what compares the clocks is left.
            time.pass(Duration.ofSeconds(2));
            assertThat(time.executor.pendingCount()).isZero();
            renewer.close();
            time.executor.shutdown();
            assertThat(time.executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void stopTellsAllLeasesThoughAKeyFails() {
        try (VirtualTime time = new VirtualTime()) {
            LeaseRenewer<Object> renewer = renewer(time, 1);
            for (int i = 0; i < 5; i++) {
                HarmfulKey key = new HarmfulKey();
                key.hash = i;
                Lease<Object> ignored = renewer.keep(key, THREE, renewer.start(), this::lost);
                key.failure = new StackOverflowError("on purpose");
            }
            List<Runnable> ignored = time.executor.shutdownNow();
            assertThat(lost).hasSize(5).containsOnly("STOPPED");
        }
    }

    @Test
    void silentRejectionHandlerHidesNoRefusedLease() {
        try (VirtualTime time =
                new VirtualTime(options -> options.maxPending(10).rejectionHandler((timer, reason) -> {}))) {
            LeaseRenewer<Object> renewer = renewer(time, 1);
            List<WheelTimer<?>> others = new ArrayList<>();
            while (time.executor.pendingCount() < 10) {
                others.add(time.executor.schedule(() -> {}, 1, HOURS));
            }
            assertThatThrownBy(() -> renewer.keep("a", THREE, renewer.start(), this::lost))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(renewer.counts().kept()).isZero();
            others.forEach(other -> other.cancel(false));
            Lease<Object> lease = renewer.keep("a", THREE, renewer.start(), this::lost);
            time.pass(Duration.ofSeconds(20));
            assertThat(lease.isKept()).isTrue();
            assertThat(renewer.counts().renewals()).isBetween(17L, 24L);
            List<Runnable> ignored = time.executor.shutdownNow();
            assertThat(lost).containsExactly("STOPPED");
            assertThatThrownBy(() -> renewer.keep("b", THREE, renewer.start(), this::lost))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(renewer.counts().kept()).isZero();
        }
    }

    @Test
    void renewerThatIsNotBuiltLeavesItsNameFree() {
        try (VirtualTime time = new VirtualTime()) {
            WheelScheduledExecutor taken = time.executor.newGroup("x-lost").build();
            assertThatThrownBy(() -> LeaseRenewer.builder(time.executor, key -> RENEWED)
                            .name("x")
                            .build())
                    .hasMessageContaining("x-lost");
            taken.shutdown();
            LeaseRenewer.builder(time.executor, key -> RENEWED)
                    .name("x")
                    .build()
                    .close();
        }
    }
}
