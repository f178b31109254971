package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Records when each of its runs began and ended, and how many of them went on at once. */
final class RecordingTask implements Runnable {

    private final Clock clock;
    private final Duration duration;
    private final List<Instant> starts = new CopyOnWriteArrayList<>();
    private final List<Instant> ends = new CopyOnWriteArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();

    RecordingTask() {
        this(new SteadyClock());
    }

    RecordingTask(Clock clock) {
        this(clock, Duration.ZERO);
    }

    /** Takes at least the given time for each run. */
    RecordingTask(Clock clock, Duration duration) {
        this.clock = clock;
        this.duration = duration;
    }

    @Override
    public void run() {
        starts.add(clock.instant());
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.decrementAndGet();
            ends.add(clock.instant());
        }
    }

    RecordingTask awaitRuns(int count) {
        SchedulerFixture.await().untilAsserted(() -> assertThat(ends).hasSizeGreaterThanOrEqualTo(count));
        return this;
    }

    int runs() {
        return starts.size();
    }

    boolean hasRun() {
        return runs() > 0;
    }

    List<Instant> starts() {
        return List.copyOf(starts);
    }

    List<Instant> ends() {
        return List.copyOf(ends);
    }

    int mostAtOnce() {
        return mostAtOnce.get();
    }
}
