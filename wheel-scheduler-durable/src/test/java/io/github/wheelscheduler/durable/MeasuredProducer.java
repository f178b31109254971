package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Schedules tasks for now at a steady rate, in a thread of its own; the id of each says when that was, and the log which ones are there for certain. */
final class MeasuredProducer {

    /** What a line begins with that sets the rate. */
    static final String COMMAND = "produce ";

    private static final String PAYLOAD = "p".repeat(Integer.getInteger("measured.payload-bytes", 256));
    private static final long PAUSE_NANOS = 5_000_000;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000;
    private static final int MOST = 1_000;
    private static final String INSERTED = "inserted ";

    private final String prefix;
    private final MeasuredLog log;
    private final Insertion insertion;
    private volatile double perSecond;
    private long next;

    /** Schedules tasks that are due at an instant, all or none. */
    interface Insertion {
        void insert(List<String> ids, String payload, Instant at);
    }

    /** What one statement has inserted. */
    record Inserted(String prefix, long first, int count, long atMicros) {

        static List<Inserted> of(MeasuredCluster cluster) {
            return cluster.lines(INSERTED).stream()
                    .map(words -> new Inserted(
                            words[1], Long.parseLong(words[2]), Integer.parseInt(words[3]), Long.parseLong(words[4])))
                    .toList();
        }

        List<String> ids() {
            List<String> ids = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                ids.add(prefix + "." + (first + i) + "@" + atMicros);
            }
            return ids;
        }
    }

    MeasuredProducer(String name, MeasuredLog log, Insertion insertion) {
        this.prefix = name + "." + ProcessHandle.current().pid();
        this.log = log;
        this.insertion = insertion;
        Thread thread = new Thread(this::produce, "producer");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when a task was inserted, which its id says. */
    static long atMicros(String id) {
        return Long.parseLong(id.substring(id.indexOf('@') + 1));
    }

    void setRate(double perSecond) {
        this.perSecond = perSecond;
    }

    /** What could not be inserted in time is made up for, but for what took longer than a second. */
    private void produce() {
        double owed = 0;
        long lastNanos = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long nowNanos = System.nanoTime();
            owed = Math.min(owed + perSecond * (nowNanos - lastNanos) / 1e9, perSecond);
            lastNanos = nowNanos;
            int count = (int) Math.min(owed, MOST);
            if (count > 0) {
                owed -= count;
                insert(count);
            }
        }
    }

    private void insert(int count) {
        Instant now = Instant.now();
        Inserted inserted = new Inserted(prefix, next, count, MeasuredLog.micros(now));
        next += count;
        try {
            insertion.insert(inserted.ids(), PAYLOAD, now);
            log.line(INSERTED + prefix + " " + inserted.first() + " " + count + " " + inserted.atMicros());
        } catch (RuntimeException ex) {
            log.line("doubtful " + count + " " + ex);
            LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
        }
    }
}
