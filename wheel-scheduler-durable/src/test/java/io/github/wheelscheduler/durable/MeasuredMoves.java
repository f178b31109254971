package io.github.wheelscheduler.durable;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Random reschedules and cancels of tasks, each within two seconds of when its task was due at first; each becomes a line of the log. */
final class MeasuredMoves {

    static final long WITHIN_MICROS = 2_000_000;

    private static final int MOVERS = 8;

    private final DurableTasks tasks;
    private final MeasuredLog log;

    MeasuredMoves(DurableTasks tasks, MeasuredLog log) {
        this.tasks = tasks;
        this.log = log;
    }

    static String line(int remainder, int count, long firstMicros, long stepMicros) {
        return "moves " + remainder + " " + count + " " + firstMicros + " " + stepMicros;
    }

    /** Moves each second task twice: {@link #line}. */
    void play(String line) {
        String[] words = line.split(" ", -1);
        int remainder = Integer.parseInt(words[1]);
        int count = Integer.parseInt(words[2]);
        long firstMicros = Long.parseLong(words[3]);
        long stepMicros = Long.parseLong(words[4]);
        ScheduledExecutorService movers = Executors.newScheduledThreadPool(MOVERS);
        for (int i = remainder; i < count; i += 2) {
            String id = "t" + i;
            Random random = new Random(i);
            long dueMicros = firstMicros + i * stepMicros;
            // One after the other, as the order of what happens at the same time would be unknown.
            long at = dueMicros - (long) (random.nextDouble() * WITHIN_MICROS);
            Object ignored = movers.schedule(
                    () -> {
                        move(id, random);
                        move(id, random);
                    },
                    at - MeasuredLog.nowMicros(),
                    TimeUnit.MICROSECONDS);
        }
        movers.shutdown();
        await().atMost(Duration.ofMinutes(5)).until(movers::isTerminated);
        log.line("moved");
    }

    private void move(String id, Random random) {
        try {
            if (random.nextInt(4) == 0) {
                boolean inTime = tasks.cancel("note", id);
                log.line("cancel " + id + " " + inTime);
            } else {
                long toMicros = MeasuredLog.nowMicros() + (long) (random.nextDouble() * WITHIN_MICROS);
                boolean inTime = tasks.reschedule("note", id, MeasuredLog.instant(toMicros));
                log.line("move " + id + " " + inTime + " " + toMicros);
            }
        } catch (RuntimeException ex) {
            log.line("failed " + id + " " + ex);
        }
    }
}
