package io.github.wheelscheduler.benchmarks.contender;

import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's {@link SystemTimer} with its defaults, and the thread that it wants to be driven by. Its unit is the
 * millisecond.
 */
final class KafkaContender implements Contender {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LONGEST_WAIT_MILLIS = 200;
    private static final long PATIENCE_MILLIS = 5_000;

    private final SystemTimer timer = new SystemTimer("benchmark");
    private final Thread reaper = new Thread(this::advance, "kafka-reaper");

    private KafkaContender() {}

    static KafkaContender withDefaults() {
        KafkaContender contender = new KafkaContender();
        contender.reaper.start();
        return contender;
    }

    private void advance() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                timer.advanceClock(LONGEST_WAIT_MILLIS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        Entry entry = new Entry(task, Math.max(0, (delayNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI));
        timer.add(entry);
        return entry;
    }

    @Override
    public void cancel(Object handle) {
        ((TimerTask) handle).cancel();
    }

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        SelfArming.atRate(this, task, firstDeadlineNanos, periodNanos);
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        SelfArming.withDelay(this, task, firstDeadlineNanos, delayNanos);
    }

    @Override
    public @Nullable Thread timerThread() {
        return reaper;
    }

    @Override
    public void close() {
        reaper.interrupt();
        try {
            reaper.join(PATIENCE_MILLIS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        timer.close();
    }

    private static final class Entry extends TimerTask {

        private final BenchTask task;

        Entry(BenchTask task, long delayMillis) {
            super(delayMillis);
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }
    }
}
