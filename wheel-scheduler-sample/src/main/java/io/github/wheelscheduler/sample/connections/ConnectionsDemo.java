package io.github.wheelscheduler.sample.connections;

import com.sun.management.OperatingSystemMXBean;
import io.github.wheelscheduler.sample.Demo;
import io.github.wheelscheduler.sample.Texts;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Many connections, each with a heartbeat, of which every tenth falls silent at some time and is to be closed a while
 * after its last answer: on the wheel, and on Spring's own scheduler.
 */
public final class ConnectionsDemo implements Demo {

    private static final Duration REHEARSAL = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int ONE_SILENT_OF = 10;
    private static final int PART_IN_REHEARSAL = 20;
    private static final long SEED = 4711;

    private final int connections;
    private final Duration time;
    private final Duration beat;
    private final Duration idleLimit;

    /**
     * Prepares one.
     *
     * @param connections the number of connections
     * @param time the time for which they are watched
     * @param beat the time from a heartbeat to the next
     * @param idleLimit the time after its last answer at which a connection is closed
     * @throws IllegalArgumentException if there are none, or if the time is too short for any to be closed
     */
    public ConnectionsDemo(int connections, Duration time, Duration beat, Duration idleLimit) {
        if (connections < 1) {
            throw new IllegalArgumentException("connections must be at least 1, was " + connections);
        }
        Duration shortest = beat.plus(idleLimit);
        if (time.compareTo(shortest) <= 0) {
            throw new IllegalArgumentException("time must be more than " + shortest + ", was " + time);
        }
        this.connections = connections;
        this.time = time;
        this.beat = beat;
        this.idleLimit = idleLimit;
    }

    @Override
    public String introduction() {
        return this + ", on the wheel and then on Spring's own scheduler";
    }

    /** Plays it on both, one after the other, and returns a table. */
    @Override
    public String play() throws InterruptedException {
        List<ConnectionsTable.Column> columns = List.of(
                rehearseAndPlay("the wheel", () -> new WheelKeeper(idleLimit, beat)),
                rehearseAndPlay("Spring's scheduler", () -> new SpringKeeper(idleLimit, beat)));
        return this + "." + System.lineSeparator() + System.lineSeparator() + ConnectionsTable.of(columns);
    }

    /** The rehearsal is for the compiler of the JVM, whose time is nobody's. */
    private ConnectionsTable.Column rehearseAndPlay(String name, Supplier<Keeper> keepers) throws InterruptedException {
        try (Keeper keeper = keepers.get()) {
            Traffic ignored = new Traffic(idleLimit.toNanos(), connections);
            int unused = open(keeper, ignored, new SplittableRandom(SEED), connections / PART_IN_REHEARSAL);
            TimeUnit.NANOSECONDS.sleep(REHEARSAL.toNanos());
        }
        try (Keeper keeper = keepers.get()) {
            return play(name, keeper);
        }
    }

    private ConnectionsTable.Column play(String name, Keeper keeper) throws InterruptedException {
        Traffic traffic = new Traffic(idleLimit.toNanos(), connections);
        long cpuNanos = processNanos();
        long startNanos = System.nanoTime();
        int silent = open(keeper, traffic, new SplittableRandom(SEED), connections);
        TimeUnit.NANOSECONDS.sleep(time.toNanos() - (System.nanoTime() - startNanos));
        ConnectionsTable.Column column = new ConnectionsTable.Column(
                name,
                silent,
                traffic.beats.sum(),
                traffic.answers.sum(),
                traffic,
                processNanos() - cpuNanos,
                System.nanoTime() - startNanos);
        long patienceEnds = System.nanoTime() + PATIENCE.toNanos();
        while (traffic.closed() < silent && System.nanoTime() - patienceEnds < 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return column;
    }

    /** Opens so many, and returns how many of them fall silent so early that they are to be closed in time. */
    private int open(Keeper keeper, Traffic traffic, SplittableRandom random, int count) {
        long latestNanos = time.minus(beat).minus(idleLimit).toNanos();
        long startNanos = System.nanoTime();
        int silent = 0;
        for (int i = 0; i < count; i++) {
            boolean fallsSilent = i % ONE_SILENT_OF == 0;
            silent += fallsSilent ? 1 : 0;
            long silentFromNanos = fallsSilent ? startNanos + random.nextLong(latestNanos) : Long.MAX_VALUE;
            keeper.keep(new Connection(traffic, System.nanoTime(), silentFromNanos), random.nextLong(beat.toNanos()));
        }
        return silent;
    }

    @Override
    public String toString() {
        return "%,d connections for %s: a heartbeat every %s each, and closed after %s without an answer"
                .formatted(connections, Texts.of(time), Texts.of(beat), Texts.of(idleLimit));
    }

    private static long processNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
