package io.github.wheelscheduler.usewith;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.test.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.inmemory.InMemoryLockProvider;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ShedLockTest {

    private final VirtualTime time = VirtualTime.create();

    @RegisterExtension
    final OurExecutor ours = OurExecutor.in(time);

    private final WheelScheduledExecutor executor = ours.executor();

    @BeforeEach
    void moveTheClockOfShedLock() {
        ClockProvider.setClock(time.clock());
    }

    @AfterEach
    void giveTheClockBack() {
        ClockProvider.setClock(Clock.systemUTC());
    }

    @Test
    void lockIsKeptForAsLongAsItsTaskTakes() {
        ExtensibleLockProvider store = new InMemoryLockProvider();

        // snippet
        WheelScheduledExecutor keepAlive =
                executor.newGroup("locks").standsApart(true).build();
        LockProvider locks = new KeepAliveLockProvider(store, keepAlive);
        // end of snippet

        SimpleLock lock = locks.lock(importOrders()).orElseThrow();
        assertThat(keepAlive.pendingCount()).isEqualTo(1);
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(lockElsewhere(store)).isEmpty();

        // The task goes on, although nothing new starts.
        executor.pause();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(lockElsewhere(store)).isEmpty();
        executor.resume();
        assertThat(keepAlive.snapshot().totals().fired()).isEqualTo(8);

        lock.unlock();
        assertThat(keepAlive.pendingCount()).isZero();
        assertThat(lockElsewhere(store)).isPresent();
    }

    @Test
    void lockIsKeptWhileTheExecutorComesToItsEnd() throws Exception {
        WheelScheduledExecutor ending = OurExecutor.in(time).executor();
        WheelScheduledExecutor keepAlive =
                ending.newGroup("locks").standsApart(true).build();
        ExtensibleLockProvider store = new InMemoryLockProvider();
        SimpleLock lock =
                new KeepAliveLockProvider(store, keepAlive).lock(importOrders()).orElseThrow();

        ending.shutdown();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(lockElsewhere(store)).isEmpty();
        lock.unlock();
        assertThat(ending.awaitTermination(OurExecutor.LIMIT.toSeconds(), SECONDS))
                .isTrue();
    }

    /** Shows that extending alone keeps the locks above. */
    @Test
    void lockThatNobodyKeepsEnds() {
        ExtensibleLockProvider store = new InMemoryLockProvider();
        assertThat(store.lock(importOrders())).isPresent();
        assertThat(lockElsewhere(store)).isEmpty();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(lockElsewhere(store)).isPresent();
    }

    private static Optional<SimpleLock> lockElsewhere(LockProvider store) {
        return store.lock(importOrders());
    }

    private static LockConfiguration importOrders() {
        return new LockConfiguration(ClockProvider.now(), "import", Duration.ofSeconds(30), Duration.ZERO);
    }
}
