package io.github.wheelscheduler.spring.promises;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** How often the operating system sees the tick thread wake up while nothing is due. */
@EnabledOnOs(OS.LINUX)
@Timed
class IdleCostsNothingTest {

    private static final long SECONDS = Scale.of(1, 5, 5);
    private static final int ROUNDS = 8;

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @BeforeEach
    void start() {
        scheduler.setThreadNamePrefix("idle-");
        scheduler.initialize();
    }

    @AfterEach
    void stop() {
        scheduler.shutdown();
        // The next test must not watch this thread.
        awaitThat(() -> tickThread() == null);
    }

    @Test
    void tickThreadDoesNotWakeUpForATimerOfAnHour() throws Exception {
        ScheduledFuture<?> hour = scheduler.schedule(() -> {}, Instant.now().plusSeconds(3_600));

        long wakeUps = contextSwitchesWhileIdle(0);

        System.out.printf("Context switches of the tick thread in %d s, timer of an hour: %d%n", SECONDS, wakeUps);
        assertThat(wakeUps).isZero();
        assertThat(hour.isDone()).isFalse();
    }

    @Test
    void tickThreadWakesUpTwiceASecondAtMostForTriggers() throws Exception {
        ScheduledFuture<?> leapDays = scheduler.schedule(() -> {}, new CronTrigger("0 0 0 29 2 *"));
        PeriodicTrigger hourly = new PeriodicTrigger(Duration.ofHours(1));
        hourly.setInitialDelay(Duration.ofHours(1));
        ScheduledFuture<?> hours = scheduler.schedule(() -> {}, hourly);

        long wakeUps = contextSwitchesWhileIdle(2 * SECONDS);

        System.out.printf("Context switches of the tick thread in %d s, triggers pending: %d%n", SECONDS, wakeUps);
        assertThat(wakeUps).isLessThanOrEqualTo(2 * SECONDS);
        assertThat(List.of(leapDays, hours)).noneMatch(ScheduledFuture::isDone);
    }

    /**
     * Returns the least of several rounds, or the first that is allowed: other processes can only make a round worse.
     */
    private static long contextSwitchesWhileIdle(long allowed) throws InterruptedException {
        Path tickThread = await().atMost(PATIENCE).until(IdleCostsNothingTest::tickThread, path -> path != null);
        CountDownLatch never = new CountDownLatch(1);
        assertThat(never.await(1, TimeUnit.SECONDS))
                .as("time for the tick thread to settle")
                .isFalse();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least > allowed; round++) {
            long before = contextSwitches(tickThread);
            assertThat(never.await(SECONDS, TimeUnit.SECONDS))
                    .as("time to watch it")
                    .isFalse();
            least = Math.min(least, contextSwitches(tickThread) - before);
        }
        return least;
    }

    private static Path tickThread() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            return threads.filter(thread -> read(thread.resolve("comm")).equals("idle-tick\n"))
                    .findFirst()
                    .orElse(null);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static long contextSwitches(Path thread) {
        return read(thread.resolve("status"))
                .lines()
                .filter(line -> line.contains("voluntary_ctxt_switches"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
                .sum();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            // A thread that has ended meanwhile.
            return "";
        }
    }
}
