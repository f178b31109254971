package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Timers that are due long after everything is over, so that they are handed back in the end. */
final class FarTimers {

    private static final int COUNT = 100;

    private final OneTimeLedger ledger;
    private final Findings findings;
    private final List<WheelTimer<?>> timers = new ArrayList<>();

    FarTimers(WheelScheduledExecutor executor, Findings findings) {
        this.findings = findings;
        this.ledger = new OneTimeLedger(COUNT, executor::nanoTime, findings);
        for (int i = 0; i < COUNT; i++) {
            Runnable task = ledger.arm(i, executor.nanoTime() + TimeUnit.HOURS.toNanos(1));
            timers.add(executor.schedule(task, 1, TimeUnit.HOURS));
        }
    }

    int count() {
        return COUNT;
    }

    /** Checks that it is exactly these that were handed back. */
    void check(List<Runnable> handedBack) {
        for (Runnable timer : handedBack) {
            int number = timers.indexOf(timer);
            if (number < 0) {
                findings.add("only what never ran may be handed back", number, COUNT, handedBack.size());
            } else {
                ledger.handedBack(number);
            }
        }
        for (int i = 0; i < COUNT; i++) {
            if (ledger.isArmed(i)) {
                findings.add("what never ran must be handed back", i, COUNT, handedBack.size());
            }
        }
    }
}
