package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Makes faults at random, several at once, for a while each. What comes when follows from the seed. */
final class Faults {

    private static final long SHORTEST_NANOS = 50 * Nap.MILLI;
    private static final long LONGEST_NANOS = 500 * Nap.MILLI;
    private static final long LONGEST_QUIET_NANOS = 300 * Nap.MILLI;
    private static final long LONGEST_MEMORY_SPELL_NANOS = 200 * Nap.MILLI;
    private static final long LONGEST_JUMP_NANOS = 2 * Nap.SECOND;
    private static final long PATIENCE_NANOS = 10 * Nap.SECOND;
    private static final int MOST_WORKERS = 32;

    private final WheelScheduledExecutor executor;
    private final FaultyWorkers workers;
    private final SettableWallClock wallClock;
    private final Flood flood;
    private final SplittableRandom random;
    private final MemoryPressure memory = new MemoryPressure();

    /** Made before there is no memory for it. */
    private final BooleanSupplier resuming = this::resume;

    private int memorySpells;
    private int failures;
    private int floods;
    private int pauses;
    private int jumps;
    private int limits;
    private int cutShort;

    Faults(
            WheelScheduledExecutor executor,
            FaultyWorkers workers,
            SettableWallClock wallClock,
            Flood flood,
            SplittableRandom random) {
        this.executor = executor;
        this.workers = workers;
        this.wallClock = wallClock;
        this.flood = flood;
        this.random = random;
    }

    /** Makes some, waits until they are over, and lets the executor alone for a while. */
    void makeSome() {
        try {
            begin(random.nextLong(SHORTEST_NANOS, LONGEST_NANOS), random.nextInt(100) < 30);
        } catch (OutOfMemoryError ex) {
            // Not what is tested: a thread that takes all memory may lack some itself.
            cutShort++;
        }
        stop();
        Nap.nanos(random.nextLong(LONGEST_QUIET_NANOS));
    }

    private void begin(long nanos, boolean runsOutOfMemory) {
        if (random.nextInt(100) < 30) {
            failures++;
            workers.setFailing(true);
        }
        if (random.nextInt(100) < 30) {
            floods++;
            flood.setOn(true);
        }
        steer();
        if (runsOutOfMemory) {
            memorySpells++;
            memory.holdFor(Math.min(nanos, LONGEST_MEMORY_SPELL_NANOS));
        } else {
            Nap.nanos(nanos);
        }
    }

    private void steer() {
        if (random.nextInt(100) < 15) {
            pauses++;
            executor.pause();
        }
        if (random.nextInt(100) < 20) {
            jumps++;
            wallClock.jump(random.nextLong(-LONGEST_JUMP_NANOS, LONGEST_JUMP_NANOS));
        }
        if (random.nextInt(100) < 20) {
            limits++;
            executor.setMaxWorkers(random.nextInt(1, MOST_WORKERS));
        }
    }

    private void stop() {
        workers.setFailing(false);
        flood.setOn(false);
        if (!Nap.until(resuming, PATIENCE_NANOS)) {
            throw new IllegalStateException("it must be possible to resume within 10 s when there is memory");
        }
    }

    private boolean resume() {
        try {
            executor.resume();
            return true;
        } catch (OutOfMemoryError ex) {
            cutShort++;
            return false;
        }
    }

    /** Makes the last end, and the clock go on where it has been before. */
    void end() {
        stop();
        wallClock.makeUp();
        executor.setMaxWorkers(MOST_WORKERS);
    }

    @Override
    public String toString() {
        return memorySpells + " times out of memory, " + failures + " times without threads or refused ("
                + workers.failures() + "), " + floods + " floods, " + pauses + " pauses, " + jumps + " clock jumps, "
                + limits + " limits, " + cutShort + " times cut short";
    }
}
