package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How full the buckets are is said by the tick thread alone, when it has been asked. */
class OccupancyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long LONGEST_NANOS = Duration.ofDays(400).toNanos();

    /** Returns an answer that has been given after this was called. */
    private static WheelSnapshot.Occupancy answer(VirtualTime time) {
        time.pass(SECOND);
        WheelSnapshot.Occupancy ignored = time.executor.occupancy();
        time.awaitQuiet();
        return Objects.requireNonNull(time.executor.occupancy());
    }

    private static long sum(WheelSnapshot.Occupancy occupancy) {
        return occupancy.due()
                + occupancy.levels().stream()
                        .flatMap(level -> level.counts().stream())
                        .mapToLong(Long::longValue)
                        .sum();
    }

    @Test
    void countsOfAllBucketsAreWhatIsPending() {
        Seed.play(random -> {
            try (VirtualTime time = new VirtualTime()) {
                for (int round = 0; round < 5; round++) {
                    for (int i = 0; i < 3_000; i++) {
                        long delay = random.nextLong(LONGEST_NANOS) >>> random.nextInt(50);
                        WheelTimer<?> ignored = time.executor.schedule(() -> {}, delay, NANOSECONDS);
                    }
                    time.pass(
                            Duration.ofNanos(random.nextLong(Duration.ofHours(1).toNanos())));
                    WheelSnapshot.Occupancy occupancy = answer(time);
                    assertThat(occupancy.age()).isZero();
                    assertThat(sum(occupancy)).isEqualTo(time.executor.pendingCount());
                    for (WheelSnapshot.LevelOccupancy level : occupancy.levels()) {
                        assertThat(level.counts()).hasSize(64);
                        assertThat(level.counts().subList(0, level.hand() + 1)).containsOnly(0L);
                    }
                }
            }
        });
    }

    @Test
    void timerIsInTheBucketOfItsTime() {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> ignored = time.executor.schedule(time.recorder(), 1, HOURS);
            WheelSnapshot.Occupancy occupancy = answer(time);
            assertThat(occupancy.levels()).hasSize(1);
            WheelSnapshot.LevelOccupancy level = occupancy.levels().get(0);
            // 1,024 ns, five times by 64.
            assertThat(level.bucket()).isEqualTo(Duration.ofNanos(1_024L << 30));
            assertThat(level.hand()).isZero();
            assertThat(level.counts().indexOf(1L)).isEqualTo(3);
            assertThat(sum(occupancy)).isEqualTo(1);
        }
    }

    @Test
    void coarsestTickHasBucketsOfManyYears() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .tick(WheelScheduledExecutorBuilder.MAX_TICK)
                .build()) {
            WheelTimer<?> timer = executor.schedule(() -> {}, Long.MAX_VALUE / 2, NANOSECONDS);
            awaitThat(() -> executor.occupancy() != null && sum(executor.occupancy()) == 1);
            List<WheelSnapshot.LevelOccupancy> levels =
                    Objects.requireNonNull(executor.occupancy()).levels();
            // The power of two below a second, five times by 64.
            assertThat(levels.get(levels.size() - 1).bucket()).isEqualTo(Duration.ofNanos(1L << 59));
            assertThat(timer.cancel(false)).isTrue();
        }
    }

    @Test
    void groupHasTheWheelOfItsExecutor() {
        try (VirtualTime time = new VirtualTime()) {
            WheelScheduledExecutor group = time.executor.group("group");
            WheelTimer<?> ignored = group.schedule(time.recorder(), 1, HOURS);
            WheelSnapshot.Occupancy ofExecutor = answer(time);
            assertThat(sum(ofExecutor)).isEqualTo(1);
            assertThat(group.occupancy()).isEqualTo(ofExecutor);
        }
    }

    @Test
    void answerIsEmptyBeforeTheFirstTimer() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
            assertThat(executor.occupancy()).isNull();
            WheelTimer<?> timer = executor.schedule(() -> {}, 1, HOURS);
            awaitThat(() -> executor.occupancy() != null);
            assertThat(timer.cancel(false)).isTrue();
        }
    }

    @Test
    void tickThreadIsWokenOnceASecondHoweverOftenItIsAsked() {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> ignored = time.executor.schedule(time.recorder(), 1, HOURS);
            time.awaitQuiet();
            long wakeUps = wakeUps(time);
            for (int second = 1; second <= 3; second++) {
                for (int i = 0; i < 1_000; i++) {
                    WheelSnapshot.Occupancy unused = time.executor.occupancy();
                }
                time.awaitQuiet();
                assertThat(wakeUps(time)).isEqualTo(wakeUps + second);
                time.clock.advance(SECOND);
            }
        }
    }

    @Test
    void nothingHappensUnlessItIsAskedFor() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
            WheelTimer<?> timer = executor.schedule(() -> {}, 1, HOURS);
            awaitThat(() -> executor.occupancy() != null);
            awaitThat(executor::isQuiet);
            WheelTimer<?> soon = executor.schedule(() -> {}, 5, MILLISECONDS);
            awaitThat(soon::isDone);
            Duration before = Objects.requireNonNull(executor.occupancy()).age();
            assertThat(before).isGreaterThan(Duration.ofMillis(4));
            assertThat(timer.cancel(false)).isTrue();
        }
    }

    private static long wakeUps(VirtualTime time) {
        return time.executor.snapshot().tick().wakeUps();
    }
}
