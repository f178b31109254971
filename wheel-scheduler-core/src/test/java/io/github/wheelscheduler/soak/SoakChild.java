package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The main class of a JVM in which an executor works under random faults for a while, and is counted up afterwards. */
public final class SoakChild {

    private static final int SERIES = 100;
    private static final long WARM_UP_NANOS = 300 * Nap.MILLI;
    private static final int NUMBERS = 16_384;

    private final Findings findings = new Findings();
    private final WheelScheduledExecutor executor;
    private final FarTimers far;
    private final SeriesLedger series;
    private final List<OneTimeLedger> ledgers = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();
    private final CalendarCaller calendar;
    private final Flood flood;
    private final Faults faults;

    /** What the main thread is at: an error for want of memory may come without a stack trace. */
    private String doing = "starting";

    private SoakChild(WorkerKind kind, SplittableRandom random) {
        Load load = Load.of(kind);
        FaultyWorkers workers = new FaultyWorkers(kind);
        SettableWallClock wallClock = new SettableWallClock();
        executor = workers.applyTo(WheelScheduledExecutor.builder().wallClock(wallClock))
                .build();
        far = new FarTimers(executor, findings);
        series = new SeriesLedger(executor, SERIES, load.periodNanos(), findings);
        for (int i = 0; i < load.callers(); i++) {
            OneTimeLedger ledger = new OneTimeLedger(NUMBERS, executor::nanoTime, findings);
            ledgers.add(ledger);
            callers.add(new Caller(executor, ledger, random.split(), "caller-" + i));
        }
        calendar = new CalendarCaller(executor, wallClock, findings, random.split());
        ledgers.add(calendar.ledger());
        flood = new Flood(executor, load.mostFlood(), findings);
        faults = new Faults(executor, workers, wallClock, flood, random.split());
    }

    /** Expects the kind of workers, how many seconds to go on, and a seed; ends with 1 if something was wrong. */
    public static void main(String[] args) {
        int exitCode = 1;
        try {
            System.out.println("> soak of " + args[0] + " for " + args[1] + " s with seed " + args[2]);
            SoakChild child = new SoakChild(WorkerKind.valueOf(args[0]), new SplittableRandom(Long.parseLong(args[2])));
            child.playAndTell(Long.parseLong(args[1]) * Nap.SECOND);
            exitCode = child.findings.count() == 0 ? 0 : 1;
        } catch (Throwable ex) {
            ex.printStackTrace(System.out);
        } finally {
            System.out.flush();
            // What is wrong may keep threads from ending.
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private void playAndTell(long forNanos) throws InterruptedException {
        try {
            play(forNanos);
        } catch (Throwable ex) {
            System.out.println("while " + doing + ": " + faults);
            throw ex;
        }
    }

    private void play(long forNanos) throws InterruptedException {
        series.start();
        callers.forEach(Caller::start);
        calendar.start();
        flood.start();
        // What runs for the first time needs memory, tasks and accounts too.
        Nap.nanos(WARM_UP_NANOS);
        long startNanos = System.nanoTime();
        doing = "making faults";
        while (System.nanoTime() - startNanos < forNanos && findings.count() == 0) {
            faults.makeSome();
        }
        doing = "ending the faults";
        faults.end();
        doing = "ending the callers";
        flood.end();
        calendar.end();
        for (Caller caller : callers) {
            caller.end();
        }
        doing = "settling";
        settle();
        doing = "telling";
        System.out.println("> " + faults + ", " + series.ranCount() + " runs of series, " + flood.ranCount()
                + " of floods, "
                + ledgers.stream().mapToLong(OneTimeLedger::ranCount).sum() + " of one-time timers, "
                + ledgers.stream().mapToLong(OneTimeLedger::cancelledCount).sum() + " cancelled, "
                + ledgers.stream().mapToLong(OneTimeLedger::inDoubtCount).sum() + " in doubt; "
                + (findings.count() == 0 ? "all well" : "WRONG, " + executor));
        if (findings.count() > 0) {
            findings.print(System.out);
        }
    }

    private void settle() throws InterruptedException {
        Ending ending = new Ending(executor, findings);
        flood.awaitAll(60 * Nap.SECOND);
        for (OneTimeLedger ledger : ledgers) {
            int ignored = ending.awaitAll(ledger);
        }
        int ignored = ending.awaitAndCancel(series);
        ending.awaitRest(far.count());
        if (findings.count() == 0) {
            checkTotals();
        }
        ending.stop(far);
    }

    /** What the executor has counted must be what was seen. */
    private void checkTotals() {
        WheelSnapshot.Totals totals = executor.snapshot().totals();
        long ran = series.ranCount() + flood.ranCount();
        long cancelled = SERIES;
        long ranCancelled = 0;
        long inDoubt = 0;
        for (OneTimeLedger ledger : ledgers) {
            ran += ledger.ranCount();
            cancelled += ledger.cancelledCount();
            ranCancelled += ledger.ranCancelledCount();
            inDoubt += ledger.inDoubtCount();
        }
        // A timer that is cancelled while it runs was not pending any more. One that was scheduled when memory ran out
        // is cancelled.
        long cancelledInRun = cancelled - totals.cancelled();
        if (cancelledInRun + inDoubt < 0 || ranCancelled > cancelledInRun + inDoubt) {
            findings.add("what was cancelled must not run", ranCancelled, totals.cancelled(), cancelled);
        }
        // One that is cancelled after its run has begun and before its task is called does not call it.
        if (totals.fired() < ran || totals.fired() > ran + cancelledInRun + inDoubt - ranCancelled) {
            findings.add("what was fired must have run", cancelledInRun - ranCancelled, totals.fired(), ran);
        }
        if (totals.scheduled() != totals.fired() + totals.cancelled() + far.count()) {
            findings.add(
                    "what was scheduled must have fired, been cancelled, or be pending",
                    0,
                    totals.scheduled(),
                    totals.fired() + totals.cancelled() + far.count());
        }
    }
}
