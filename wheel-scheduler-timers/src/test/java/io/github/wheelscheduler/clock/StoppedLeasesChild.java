package io.github.wheelscheduler.clock;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps leases of three seconds, and says what became of them when it was brought to a halt for longer. */
final class StoppedLeasesChild {

    static final String READY = "> ready";
    static final int LEASES = 1_000;

    private static final Duration LENGTH = Duration.ofSeconds(3);
    private static final long HALT_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long LOOK_MILLIS = 1;

    private final ConcurrentHashMap<Integer, Long> lost = new ConcurrentHashMap<>();
    private final Queue<Long> renewals = new ConcurrentLinkedQueue<>();

    private StoppedLeasesChild() {}

    public static void main(String[] args) throws InterruptedException {
        new StoppedLeasesChild().run();
    }

    private void run() throws InterruptedException {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
                LeaseRenewer<Integer> renewer = LeaseRenewer.<Integer>builder(executor, key -> {
                            boolean ignored = renewals.add(System.nanoTime());
                            return Outcome.RENEWED;
                        })
                        .build()) {
            for (int i = 0; i < LEASES; i++) {
                Lease<Integer> ignored =
                        renewer.keep(i, LENGTH, renewer.start(), (key, reason) -> lost.put(key, System.nanoTime()));
            }
            long resumedNanos = awaitHalt();
            Thread.sleep(LENGTH.toMillis());
            long latest = lost.values().stream()
                    .mapToLong(at -> at - resumedNanos)
                    .max()
                    .orElse(Long.MAX_VALUE);
            long renewed = renewals.stream()
                    .filter(at -> at - resumedNanos > -Duration.ofSeconds(1).toNanos())
                    .count();
            System.out.println("> " + lost.size() + " of " + LEASES + " lost, the last one " + latest / 1_000_000
                    + " ms after the halt; " + renewed + " renewals began after it");
        }
    }

    /** Returns when the process went on after a halt. */
    private static long awaitHalt() throws InterruptedException {
        System.out.println(READY);
        long before = System.nanoTime();
        while (true) {
            Thread.sleep(LOOK_MILLIS);
            long now = System.nanoTime();
            if (now - before > HALT_NANOS) {
                return now;
            }
            before = now;
        }
    }
}
