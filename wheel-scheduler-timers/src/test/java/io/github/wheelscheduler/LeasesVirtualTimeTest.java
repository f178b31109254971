package io.github.wheelscheduler;

import static io.github.wheelscheduler.lease.Renewal.Outcome.GONE;
import static io.github.wheelscheduler.lease.Renewal.Outcome.RENEWED;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseCounts;
import io.github.wheelscheduler.lease.LeaseEnd;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.LeaseStart;
import io.github.wheelscheduler.lease.LossListener;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import io.github.wheelscheduler.testing.Gate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Leases are renewed at a third of their length, told lost before they end, once, and left alone when they are closed.
 */
class LeasesVirtualTimeTest {

    private static final Duration THREE = Duration.ofSeconds(3);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<Outcome> answer = new AtomicReference<>(Outcome.RENEWED);
    private final LeaseRenewer<String> renewer = LeaseRenewer.builder(time.executor, this::renew)
            .closeLimit(Duration.ofMillis(50))
            .build();

    @AfterEach
    void close() {
        time.close();
    }

    private Outcome renew(String key) {
        log.add("renew " + key + " at " + time.millis());
        return answer.get();
    }

    private Lease<String> keep(String key) {
        return renewer.keep(key, THREE, renewer.start(), this::lost);
    }

    private void lost(String key, LossListener.Reason reason) {
        log.add("lost " + key + " at " + time.millis() + " " + reason);
    }

    @Test
    void leaseIsRenewedAtAThirdOfItsLength() {
        Lease<String> lease = keep("a");
        time.pass(Duration.ofMillis(3_500));
        assertThat(log).containsExactly("renew a at 1000", "renew a at 2000", "renew a at 3000");
        assertThat(lease.isKept()).isTrue();
        assertThat(lease.remaining()).isBetween(Duration.ofMillis(2_100), Duration.ofMillis(2_201));
        assertThat(lease.close(Duration.ofSeconds(1))).isEqualTo(LeaseEnd.CLOSED);
        assertThat(lease.close(Duration.ofSeconds(1))).isEqualTo(LeaseEnd.CLOSED_BEFORE);
        time.pass(Duration.ofSeconds(10));
        assertThat(log).hasSize(3);
        assertThat(renewer.counts()).isEqualTo(new LeaseCounts(0, 3, 0, 0, 1, 0));
    }

    @Test
    void textSaysDurationsInWords() {
        Lease<String> lease = renewer.keep("a", Duration.ofHours(3), renewer.start(), this::lost);
        assertThat(lease.toString()).matches("Lease\\[\\w+, remaining = 2 h \\d+ min]");
    }

    @Test
    void timeThatTheAcquisitionTookIsPartOfTheLease() {
        LeaseStart start = renewer.start();
        time.clock.advance(Duration.ofMillis(600));
        Lease<String> ignored = renewer.keep("a", THREE, start, this::lost);
        time.pass(Duration.ofMillis(500));
        assertThat(log).containsExactly("renew a at 1000");
    }

    @Test
    void failureIsRetriedAndTheLossIsReportedOnce() {
        answer.set(Outcome.FAILED);
        Lease<String> lease = keep("a");
        time.pass(Duration.ofSeconds(10));
        assertThat(log).last().isEqualTo("lost a at 2700 EXPIRED");
        assertThat(log.subList(0, 5))
                .containsExactly(
                        "renew a at 1000", "renew a at 1050", "renew a at 1150", "renew a at 1350", "renew a at 1650");
        assertThat(log.stream().filter(line -> line.startsWith("lost"))).hasSize(1);
        assertThat(lease.isKept()).isFalse();
        assertThat(lease.close(Duration.ofSeconds(1))).isEqualTo(LeaseEnd.LOST);
        assertThat(renewer.counts().lost()).isEqualTo(1);
    }

    @Test
    void oneSuccessWithinTheRemainderKeepsIt() {
        answer.set(Outcome.FAILED);
        Lease<String> lease = keep("a");
        time.pass(Duration.ofSeconds(2));
        answer.set(Outcome.RENEWED);
        time.pass(Duration.ofSeconds(20));
        assertThat(lease.isKept()).isTrue();
        assertThat(log).noneMatch(line -> line.startsWith("lost"));
        assertThat(log.get(log.size() - 1)).startsWith("renew");
    }

    @Test
    void leaseThatIsGoneInTheStoreIsLostAtOnce() {
        answer.set(Outcome.GONE);
        Lease<String> ignored = keep("a");
        time.pass(Duration.ofSeconds(10));
        assertThat(log).containsExactly("renew a at 1000", "lost a at 1000 GONE");
    }

    @Test
    void renewalThatThrowsIsAFailure() {
        AtomicInteger calls = new AtomicInteger();
        LeaseRenewer<String> failing = LeaseRenewer.<String>builder(time.executor, key -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("on purpose");
                })
                .name("failing")
                .build();
        Lease<String> ignored = failing.keep("a", THREE, failing.start(), this::lost);
        time.pass(Duration.ofSeconds(10));
        assertThat(calls.get()).isGreaterThan(5);
        assertThat(log).containsExactly("lost a at 2700 EXPIRED");
        assertThat(failing.counts().failures()).isEqualTo(calls.get());
    }

    @Test
    void processThatWasStoppedTellsTheLossAndRenewsNothing() {
        for (int i = 0; i < 100; i++) {
            Lease<String> ignored = keep("lease " + i);
        }
        time.awaitQuiet();
        time.jump(Duration.ofSeconds(10));
        awaitThat(() -> log.size() >= 100);
        time.pass(Duration.ofSeconds(10));
        assertThat(log).hasSize(100).allMatch(line -> line.startsWith("lost") && line.endsWith("at 10000 EXPIRED"));
    }

    @Test
    void wallClockThatWentOnWithoutTheOtherCounts() {
        Lease<String> lease = keep("a");
        time.pass(Duration.ofMillis(100));
        time.wallClock.moveBy(Duration.ofSeconds(10));
        time.pass(Duration.ofSeconds(1));
        assertThat(log).containsExactly("lost a at 1000 EXPIRED");
        assertThat(lease.isKept()).isFalse();
    }

    @Test
    void wallClockThatIsSetBackOrCannotBeReadChangesNothing() {
        Lease<String> lease = keep("a");
        time.wallClock.moveBy(Duration.ofSeconds(-100));
        time.pass(Duration.ofMillis(3_500));
        time.wallClock.fail(true);
        time.pass(Duration.ofMillis(3_500));
        assertThat(lease.isKept()).isTrue();
        assertThat(log).hasSize(7);
    }

    @Test
    void renewalsGoOnDuringPauseHaltAndShutdown() {
        Lease<String> lease = keep("a");
        time.executor.pause();
        time.executor.halt();
        time.pass(Duration.ofMillis(1_500));
        time.executor.shutdown();
        assertThatThrownBy(() -> keep("b"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("has been shut down");
        time.pass(Duration.ofSeconds(2));
        assertThat(log).containsExactly("renew a at 1000", "renew a at 2000", "renew a at 3000");
        assertThat(time.executor.isTerminated()).isFalse();
        assertThat(lease.close(Duration.ZERO)).isEqualTo(LeaseEnd.CLOSED);
        time.clock.advance(Duration.ofSeconds(2));
        awaitThat(time.executor::isTerminated);
    }

    @Test
    void shutdownNowTellsFirstWhatIsKept() {
        Lease<String> lease = keep("a");
        time.pass(Duration.ofMillis(1_500));
        List<Runnable> ignored = time.executor.shutdownNow();
        assertThat(log).containsExactly("renew a at 1000", "lost a at 1500 STOPPED");
        assertThat(lease.isKept()).isFalse();
        awaitThat(time.executor::isTerminated);
        assertThatThrownBy(() -> keep("b")).isInstanceOf(RejectedExecutionException.class);
        assertThat(renewer.counts().kept()).isZero();
    }

    /** As another thread may do it meanwhile. */
    @Test
    void leaseOfALossListenerIsRejectedByAStop() {
        LeaseRenewer<Integer> numbered = LeaseRenewer.<Integer>builder(time.executor, key -> answer.get())
                .name("numbered")
                .build();
        AtomicReference<Throwable> rejection = new AtomicReference<>();
        for (int key : new int[] {2, 7}) {
            Lease<Integer> ignored = numbered.keep(key, THREE, numbered.start(), (lost, reason) -> {
                try {
                    // One of the places has been looked at already.
                    Lease<Integer> unused = numbered.keep(9 - lost, THREE, numbered.start(), (other, why) -> {});
                } catch (RejectedExecutionException | IllegalArgumentException ex) {
                    rejection.set(ex);
                }
            });
        }
        List<Runnable> ignored = time.executor.shutdownNow();
        assertThat(rejection.get()).isInstanceOf(RejectedExecutionException.class);
        assertThat(numbered.counts().kept()).isZero();
    }

    @Test
    void closeInterruptsARenewalThatTakesTooLong() {
        Gate gate = new Gate();
        LeaseRenewer<String> slow = LeaseRenewer.<String>builder(time.executor, key -> {
                    gate.run();
                    return Outcome.RENEWED;
                })
                .name("slow")
                .build();
        Lease<String> lease = slow.keep("a", THREE, slow.start(), this::lost);
        time.awaitQuiet();
        time.clock.advance(Duration.ofMillis(1_001));
        gate.awaitArrivals(1);
        assertThat(lease.close(Duration.ofSeconds(1))).isEqualTo(LeaseEnd.INTERRUPTED);
        assertThat(gate.interrupts()).isEqualTo(1);
        assertThat(log).isEmpty();
    }

    @Test
    void limitOfTheRenewersCloseIsForAllLeasesTogether() {
        int leases = 20;
        Duration limit = Duration.ofSeconds(1);
        Gate stubborn = new Gate();
        Gate gate = new Gate();
        LeaseRenewer<Integer> hanging = LeaseRenewer.<Integer>builder(time.executor, key -> {
                    gate.run();
                    if (key == 0) {
                        stubborn.run();
                    }
                    return Outcome.RENEWED;
                })
                .name("hanging")
                .maxConcurrent(leases)
                .closeLimit(limit)
                .build();
        for (int key = 0; key < leases; key++) {
            Lease<Integer> ignored = hanging.keep(key, THREE, hanging.start(), (lost, reason) -> {});
        }
        time.awaitQuiet();
        time.clock.advance(Duration.ofMillis(1_001));
        gate.awaitArrivals(leases);
        long startNanos = System.nanoTime();
        hanging.close();
        Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
        stubborn.open();
        assertThat(gate.interrupts()).isEqualTo(leases);
        assertThat(hanging.counts().closed()).isEqualTo(leases);
        // Once before they are interrupted, once after that, and time for a busy machine.
        assertThat(took).isBetween(limit, limit.multipliedBy(8));
    }

    @Test
    void renewalThatHangsIsInterruptedWhenItsLeaseIsLost() {
        Gate gate = new Gate();
        LeaseRenewer<String> slow = LeaseRenewer.<String>builder(time.executor, key -> {
                    gate.run();
                    return Outcome.RENEWED;
                })
                .name("slow")
                .build();
        Lease<String> lease = slow.keep("a", THREE, slow.start(), this::lost);
        time.awaitQuiet();
        time.clock.advance(Duration.ofMillis(1_001));
        gate.awaitArrivals(1);
        time.clock.advance(Duration.ofMillis(1_749));
        awaitThat(() -> log.size() == 1);
        assertThat(log).containsExactly("lost a at 2750 EXPIRED");
        awaitThat(() -> gate.interrupts() == 1);
        assertThat(lease.isKept()).isFalse();
    }

    @Test
    void renewalOrListenerThatClosesDoesNotWaitForItself() {
        AtomicReference<@Nullable Lease<String>> own = new AtomicReference<>();
        AtomicReference<@Nullable LeaseEnd> end = new AtomicReference<>();
        LeaseRenewer<String> closing = LeaseRenewer.<String>builder(time.executor, key -> {
                    Lease<String> lease = own.get();
                    end.set(lease == null ? null : lease.close(Duration.ofSeconds(60)));
                    return Outcome.RENEWED;
                })
                .name("closing")
                .build();
        own.set(closing.keep("a", THREE, closing.start(), this::lost));
        time.pass(Duration.ofSeconds(5));
        assertThat(end).hasValue(LeaseEnd.FROM_RENEWAL);
        answer.set(Outcome.GONE);
        AtomicReference<@Nullable LeaseEnd> inListener = new AtomicReference<>();
        AtomicReference<@Nullable Lease<String>> other = new AtomicReference<>();
        other.set(renewer.keep("b", THREE, renewer.start(), (key, reason) -> {
            Lease<String> lease = other.get();
            inListener.set(lease == null ? null : lease.close(Duration.ofSeconds(60)));
            renewer.close();
        }));
        time.pass(Duration.ofSeconds(2));
        assertThat(inListener).hasValue(LeaseEnd.LOST);
    }

    @Test
    void leasesThatAreDueTogetherAreRenewedInOneCall() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        LeaseRenewer<String> batches = LeaseRenewer.<String>batchBuilder(time.executor, 40, keys -> {
                    sizes.add(keys.size());
                    Map<String, Outcome> outcomes = new HashMap<>();
                    keys.forEach(key -> outcomes.put(key, key.equals("lease 7") ? Outcome.GONE : Outcome.RENEWED));
                    return outcomes;
                })
                .name("batches")
                .build();
        for (int i = 0; i < 100; i++) {
            Lease<String> ignored = batches.keep("lease " + i, THREE, batches.start(), this::lost);
        }
        time.pass(Duration.ofMillis(1_100));
        assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
        assertThat(sizes).hasSizeLessThanOrEqualTo(5).allMatch(size -> size <= 40);
        assertThat(log).hasSize(1);
        assertThat(log.get(0)).startsWith("lost lease 7").endsWith("GONE");
        sizes.clear();
        time.pass(Duration.ofSeconds(1));
        assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(99);
        assertThat(batches.counts().kept()).isEqualTo(99);
    }

    @Test
    void listenerThatThrowsIsCountedAndHarmsNoOther() {
        answer.set(Outcome.GONE);
        Lease<String> one = renewer.keep("a", THREE, renewer.start(), (key, reason) -> {
            throw new IllegalStateException("on purpose");
        });
        Lease<String> two = keep("b");
        time.pass(Duration.ofSeconds(2));
        assertThat(one.isKept() || two.isKept()).isFalse();
        assertThat(log).contains("lost b at 1000 GONE");
        assertThat(renewer.counts().listenerFailures()).isEqualTo(1);
    }

    @Test
    void closeOfTheRenewerEndsItsGroupsAndFreesItsName() {
        Lease<String> lease = keep("a");
        time.pass(Duration.ofMillis(500));
        renewer.close();
        assertThat(lease.close(Duration.ZERO)).isEqualTo(LeaseEnd.CLOSED_BEFORE);
        awaitThat(() -> time.executor.groups().isEmpty());
        assertThatThrownBy(() -> keep("b")).isInstanceOf(RejectedExecutionException.class);
        try (LeaseRenewer<String> next =
                LeaseRenewer.builder(time.executor, this::renew).build()) {
            assertThat(next.keep("a", THREE, next.start(), this::lost).isKept()).isTrue();
        }
    }

    @Test
    void errorsStateTheRuleAndTheValueAndNoKeyIsShown() {
        assertThatThrownBy(() -> renewer.keep("a", Duration.ofMillis(5), renewer.start(), this::lost))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("length must be at least PT0.01S, was PT0.005S");
        Lease<String> lease = keep("secret");
        assertThatThrownBy(() -> keep("secret"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key must not have a lease already");
        assertThat(lease + " " + renewer).doesNotContain("secret");
        assertThat(renewer.find("secret")).isSameAs(lease);
        assertThatThrownBy(
                        () -> LeaseRenewer.builder(time.executor, this::renew).maxConcurrent(0))
                .hasMessage("maxConcurrent must be at least 1, was 0");
    }

    @Test
    void exampleOfThePageIsWhatRunsHere() throws IOException {
        WheelScheduledExecutor executor = time.executor;
        Store store = new Store();
        this.renewer.close();
        awaitThat(() -> executor.groups().isEmpty());

        LeaseRenewer<String> renewer = LeaseRenewer.<String>builder(
                        executor, key -> store.extend(key, TEN_SECONDS) ? RENEWED : GONE)
                .build();
        LeaseStart start = renewer.start();
        if (store.acquire("import", TEN_SECONDS)) {
            Lease<String> lease = renewer.keep("import", TEN_SECONDS, start, (key, reason) -> stopImport());
            runImport();
            lease.close();
            store.release("import");
        }

        assertThat(log)
                .containsExactly("acquire import for PT10S", "extend import for PT10S", "import", "release import");
        String page = Files.readString(Path.of("../docs/leases.md"));
        int from = page.indexOf("LeaseRenewer<String> renewer");
        String shown = page.substring(from, page.indexOf("```", from));
        Path source = Path.of("src/test/java/io/github/wheelscheduler/LeasesVirtualTimeTest.java");
        assertThat(Files.readString(source).replaceAll("\\s", "")).contains(shown.replaceAll("\\s", ""));
    }

    private void runImport() {
        time.pass(Duration.ofSeconds(4));
        log.add("import");
    }

    private void stopImport() {
        log.add("stop");
    }

    /** The store that the example asks for leases. */
    private final class Store {

        boolean acquire(String key, Duration length) {
            return log.add("acquire " + key + " for " + length);
        }

        boolean extend(String key, Duration length) {
            return log.add("extend " + key + " for " + length);
        }

        void release(String key) {
            log.add("release " + key);
        }
    }
}
