package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.SplittableRandom;

/**
 * The main class of a JVM whose small heap is full for five spells, in each of some rounds: each series must go on,
 * each one-time timer that was accepted must run once, and everything must terminate.
 */
public final class OutOfMemoryChild {

    private static final int SPELLS = 5;
    private static final long SPELL_NANOS = 200 * Nap.MILLI;
    private static final long PAUSE_NANOS = 50 * Nap.MILLI;
    private static final int SERIES = 200;
    private static final int NUMBERS = 20_000;

    private final WorkerKind kind;
    private final SplittableRandom random;
    private final Findings findings = new Findings();

    private OutOfMemoryChild(WorkerKind kind, long seed) {
        this.kind = kind;
        this.random = new SplittableRandom(seed);
    }

    /** Expects the kind of workers, the number of rounds, and a seed; ends with 1 if something was wrong. */
    public static void main(String[] args) {
        int exitCode = 1;
        try {
            OutOfMemoryChild child = new OutOfMemoryChild(WorkerKind.valueOf(args[0]), Long.parseLong(args[2]));
            System.out.println("> memory runs out for " + args[0] + ", seed " + args[2]);
            for (int round = 1; round <= Integer.parseInt(args[1]); round++) {
                child.play(round);
            }
            if (child.findings.count() == 0) {
                exitCode = 0;
            } else {
                child.findings.print(System.out);
            }
        } catch (Throwable ex) {
            ex.printStackTrace(System.out);
        } finally {
            System.out.flush();
            // What is wrong may keep threads from ending.
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private void play(int round) throws InterruptedException {
        int before = findings.count();
        WheelScheduledExecutor executor = new FaultyWorkers(kind)
                .applyTo(WheelScheduledExecutor.builder())
                .build();
        FarTimers far = new FarTimers(executor, findings);
        SeriesLedger series = new SeriesLedger(executor, SERIES, Load.of(kind).periodNanos(), findings);
        OneTimeLedger ledger = new OneTimeLedger(NUMBERS, executor::nanoTime, findings);
        Caller caller = new Caller(executor, ledger, random.split(), "caller");
        series.start();
        caller.start();
        Nap.nanos(SPELL_NANOS);
        MemoryPressure pressure = new MemoryPressure();
        for (int spell = 0; spell < SPELLS; spell++) {
            pressure.holdFor(SPELL_NANOS);
            Nap.nanos(PAUSE_NANOS);
            Progress.print("memory is free again");
        }
        caller.end();
        Progress.print("nobody schedules any more");
        Ending ending = new Ending(executor, findings);
        int lost = ending.awaitAll(ledger);
        Progress.print("one-time timers are over");
        int goingOn = ending.awaitAndCancel(series);
        Progress.print("series are cancelled");
        if (findings.count() == before) {
            ending.awaitRest(far.count());
        }
        ending.stop(far);
        System.out.println("> round " + round + ": " + goingOn + " of " + series.size() + " series go on, "
                + series.ranCount() + " runs; of " + ledger.acceptedCount() + " one-time timers " + lost
                + " are lost, " + ledger.cancelledCount() + " cancelled, " + ledger.ranInDoubtCount()
                + " ran though their caller was told of an error; "
                + (findings.count() == before ? "all well" : "WRONG, " + executor));
    }
}
