package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a caller submits for now runs in its order, whichever way each task takes: pauses and bursts change that all the time. */
class CallerOrderStressTest {

    private static final int CALLERS = 2;
    private static final int BURST = 6_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final Queue<String> disorder = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ran = new AtomicInteger();

    @ParameterizedTest
    @EnumSource
    void eachCallersTasksRunInOrder(WorkerKind kind) {
        // Starting a platform thread for each takes its time.
        int count = kind == WorkerKind.THREAD_PER_RUN ? Scale.of(8_000, 500_000) : Scale.of(60_000, 5_000_000);
        Seed.play(random -> {
            disorder.clear();
            ran.set(0);
            WheelScheduledExecutor executor = stops.use(
                    kind.applyTo(WheelScheduledExecutor.builder()).maxWorkers(1).build());
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String name = "caller " + i;
                SplittableRandom own = random.split();
                callers.add(new Thread(() -> submit(executor, name, count, own), name));
            }
            callers.forEach(Thread::start);
            while (callers.stream().anyMatch(Thread::isAlive)) {
                executor.pause();
                LockSupport.parkNanos(random.nextInt(300_000));
                executor.resume();
                LockSupport.parkNanos(random.nextInt(1_000_000));
            }
            awaitThat(() -> ran.get() == CALLERS * count);
            assertThat(disorder).isEmpty();
            awaitThat(() -> executor.pendingCount() == 0);
            // The next one that takes the long way ends it, if it has not ended.
            executor.execute(() -> {});
            awaitThat(() -> executor.engine().dispatcher().detours().isNone());
        });
    }

    private void submit(WheelScheduledExecutor executor, String name, int count, SplittableRandom random) {
        AtomicInteger last = new AtomicInteger(-1);
        int pause = 0;
        for (int i = 0; i < count; i++) {
            int number = i;
            WheelTimer<?> ignored = executor.schedule(
                    () -> {
                        int before = last.getAndSet(number);
                        if (before != number - 1) {
                            disorder.add(name + ": " + number + " after " + before);
                        }
                        ran.incrementAndGet();
                    },
                    0,
                    NANOSECONDS);
            if (pause-- == 0) {
                pause = random.nextInt(random.nextBoolean() ? BURST : 20);
                LockSupport.parkNanos(random.nextInt(200_000));
            }
        }
    }
}
