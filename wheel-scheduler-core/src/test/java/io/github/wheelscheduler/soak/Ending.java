package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Stops an executor after all faults are over, and checks what is left of it. */
final class Ending {

    /**
     * Only waited for in full if something is wrong; a machine that does much else may take long after all faults are
     * over.
     */
    private static final long PATIENCE_NANOS = 60 * Nap.SECOND;

    private final WheelScheduledExecutor executor;
    private final Findings findings;

    Ending(WheelScheduledExecutor executor, Findings findings) {
        this.executor = executor;
        this.findings = findings;
    }

    /** Waits until all one-time timers of the ledger are over, and returns how many never will be. */
    int awaitAll(OneTimeLedger ledger) {
        boolean ignored = Nap.until(() -> ledger.armed() == 0, PATIENCE_NANOS);
        ledger.reportLost();
        return ledger.armed();
    }

    /** Waits until each series has run once more, cancels all of them, and returns how many have. */
    int awaitAndCancel(SeriesLedger series) {
        int goingOn = series.countGoingOn(PATIENCE_NANOS);
        if (goingOn == series.size()) {
            series.awaitCaughtUp(PATIENCE_NANOS);
        }
        series.cancel();
        return goingOn;
    }

    /** Waits until only so many timers are pending and nothing runs. */
    void awaitRest(long pending) {
        if (!Nap.until(() -> executor.pendingCount() == pending, PATIENCE_NANOS)) {
            findings.add("pending must be exact at rest", 0, pending, executor.pendingCount());
        }
        if (!Nap.until(() -> executor.activeCount() == 0, PATIENCE_NANOS)) {
            findings.add("nothing must be running at rest", 0, 0, executor.activeCount());
        }
    }

    /** Shuts down, then stops, and checks that the far timers are handed back and that it terminates. */
    void stop(FarTimers far) throws InterruptedException {
        within("shutdown must return", executor::shutdown);
        AtomicReference<@Nullable List<Runnable>> handedBack = new AtomicReference<>();
        within("shutdownNow must return", () -> handedBack.set(executor.shutdownNow()));
        List<Runnable> timers = handedBack.get();
        if (timers != null) {
            far.check(timers);
        }
        if (!executor.awaitTermination(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
            findings.add("it must terminate", 0, 1, 0);
        }
        if (executor.pendingCount() != 0) {
            findings.add("nothing must be pending in the end", 0, 0, executor.pendingCount());
        }
    }

    /** On a thread of its own, as what hangs here would hang for ever. */
    private void within(String rule, Runnable call) throws InterruptedException {
        Thread thread = Executors.defaultThreadFactory().newThread(call);
        thread.setDaemon(true);
        thread.start();
        thread.join(PATIENCE_NANOS / Nap.MILLI);
        if (thread.isAlive()) {
            findings.add(rule, 0, 1, 0);
        }
    }
}
