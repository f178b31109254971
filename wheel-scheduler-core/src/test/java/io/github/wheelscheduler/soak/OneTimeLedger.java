package io.github.wheelscheduler.soak;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Keeps account of one-time timers by number, of which each is used again when its timer is over. Nothing is allocated
 * after it has been made. A number belongs to one caller, who says what he does; the task of the number says when it
 * runs.
 */
final class OneTimeLedger {

    private static final int FREE = 0;
    private static final int ARMED = 1;
    private static final int RAN = 2;
    private static final int CANCELLED = 3;
    private static final int IN_DOUBT = 4;

    /** A number whose timer may still be on its way to a run, though nobody knows, is used again only after so long. */
    private static final long REST_NANOS = 10 * Nap.SECOND;

    private final Findings findings;
    private final LongSupplier clock;

    /** Writers: the caller that owns the number, and the run. */
    private final AtomicIntegerArray states;

    /** Not to run before; when it was cancelled. Writer: the caller. Readers: runs. */
    private final AtomicLongArray deadlines;

    private final Runnable[] tasks;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong ran = new AtomicLong();
    private final AtomicLong inDoubt = new AtomicLong();
    private final AtomicLong ranInDoubt = new AtomicLong();
    private final AtomicLong ranCancelled = new AtomicLong();
    private final AtomicLong cancelled = new AtomicLong();

    /** Makes numbers from 0; the clock is the one that deadlines are on. */
    OneTimeLedger(int size, LongSupplier clock, Findings findings) {
        this.findings = findings;
        this.clock = clock;
        this.states = new AtomicIntegerArray(size);
        this.deadlines = new AtomicLongArray(size);
        this.tasks = new Runnable[size];
        for (int i = 0; i < size; i++) {
            tasks[i] = new Run(i);
        }
    }

    /** Whether the number can be used for the next timer. */
    boolean isFree(int number) {
        int state = states.get(number);
        boolean isResting =
                (state == CANCELLED || state == IN_DOUBT) && System.nanoTime() - deadlines.get(number) < REST_NANOS;
        return state != ARMED && !isResting;
    }

    boolean isArmed(int number) {
        return states.get(number) == ARMED;
    }

    /** The timer of this number is about to be scheduled. Returns its task. */
    Runnable arm(int number, long deadline) {
        deadlines.set(number, deadline);
        states.set(number, ARMED);
        return tasks[number];
    }

    void accepted() {
        accepted.incrementAndGet();
    }

    /** The timer was refused in the way in which that is done; it must not run. */
    void refused(int number) {
        if (!states.compareAndSet(number, ARMED, FREE)) {
            findings.add("a timer that was refused must not run", number, ARMED, states.get(number));
        }
    }

    /**
     * The call that schedules it has failed in another way, so nobody knows whether the timer was scheduled, and will
     * run.
     */
    void inDoubt(int number) {
        inDoubt.incrementAndGet();
        if (states.compareAndSet(number, ARMED, IN_DOUBT)) {
            deadlines.set(number, System.nanoTime());
        } else {
            ranInDoubt.incrementAndGet();
        }
    }

    /**
     * The timer is about to be given another deadline: until that is known to be done, it may run by the earlier of the
     * two.
     */
    void moving(int number, long deadline) {
        if (deadline - deadlines.get(number) < 0) {
            deadlines.set(number, deadline);
        }
    }

    /** The timer has been given another deadline. */
    void moved(int number, long deadline) {
        deadlines.set(number, deadline);
    }

    /** The timer has been cancelled, perhaps while it was about to run. */
    void cancelled(int number) {
        cancelled.incrementAndGet();
        if (states.compareAndSet(number, ARMED, CANCELLED)) {
            deadlines.set(number, System.nanoTime());
        } else {
            ranCancelled.incrementAndGet();
        }
    }

    /** The timer has been handed back without a run. */
    void handedBack(int number) {
        if (!states.compareAndSet(number, ARMED, FREE)) {
            findings.add("a timer that is handed back must not have run", number, ARMED, states.get(number));
        }
    }

    int size() {
        return states.length();
    }

    /** Returns how many timers are accepted and neither ran nor were cancelled. */
    int armed() {
        int count = 0;
        for (int i = 0; i < size(); i++) {
            count += states.get(i) == ARMED ? 1 : 0;
        }
        return count;
    }

    /** Adds a finding for each timer that did not run though it should have. */
    void reportLost() {
        for (int i = 0; i < size(); i++) {
            if (states.get(i) == ARMED) {
                findings.add("a timer that was accepted must run", i, deadlines.get(i), clock.getAsLong());
            }
        }
    }

    long acceptedCount() {
        return accepted.get();
    }

    /** Returns how many runs there were, of any kind. */
    long ranCount() {
        return ran.get();
    }

    /** Returns how many timers nobody knows to have been accepted. */
    long inDoubtCount() {
        return inDoubt.get();
    }

    /** Returns how many runs there were of timers that nobody knows to have been accepted. */
    long ranInDoubtCount() {
        return ranInDoubt.get();
    }

    long cancelledCount() {
        return cancelled.get();
    }

    /** Returns how many timers both ran and were cancelled, which is right while a run is going on. */
    long ranCancelledCount() {
        return ranCancelled.get();
    }

    private void run(int number) {
        long now = clock.getAsLong();
        long deadline = deadlines.get(number);
        ran.incrementAndGet();
        if (states.compareAndSet(number, ARMED, RAN)) {
            if (now - deadline < 0) {
                findings.add("a timer must not run early", number, deadline, now);
            }
        } else if (states.compareAndSet(number, IN_DOUBT, RAN)) {
            ranInDoubt.incrementAndGet();
        } else if (states.compareAndSet(number, CANCELLED, RAN)) {
            ranCancelled.incrementAndGet();
        } else {
            findings.add("a timer must run once", number, ARMED, states.get(number));
        }
    }

    private final class Run implements Runnable {

        private final int number;

        Run(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            OneTimeLedger.this.run(number);
        }
    }
}
