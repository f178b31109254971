package io.github.wheelscheduler.benchmarks.measure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One slot per run, for its lateness. A run stores to its own slot, and nothing is shared between runs. */
public final class Slots {

    private static final long EMPTY = Long.MIN_VALUE;
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    /** Writer: the run of that index. Reader: who waits for it, with acquire. */
    private final long[] latenesses;

    /** Writer: the run of that index, before it stores its lateness. */
    private final byte[] runs;

    private final byte[] runsOnTimerThread;
    private final @Nullable Thread timerThread;

    /** All slots below it are known to be taken. Only who waits uses it. */
    private int taken;

    /** Makes empty slots; the thread is the one on which no run should be, if there is such. */
    public Slots(int count, @Nullable Thread timerThread) {
        this.latenesses = new long[count];
        this.runs = new byte[count];
        this.runsOnTimerThread = new byte[count];
        this.timerThread = timerThread;
        Arrays.fill(latenesses, EMPTY);
    }

    /** Records a run that starts now. */
    public void record(int index, long deadlineNanos) {
        long lateNanos = System.nanoTime() - deadlineNanos;
        runs[index]++;
        if (Thread.currentThread() == timerThread) {
            runsOnTimerThread[index] = 1;
        }
        ELEMENT.setRelease(latenesses, index, lateNanos);
    }

    /**
     * Waits until every slot is taken, looking every half millisecond.
     *
     * @throws IllegalStateException if some are still empty at that time
     */
    public void awaitAll(long giveUpNanos) {
        while (!areAllTaken()) {
            if (System.nanoTime() - giveUpNanos > 0) {
                throw new IllegalStateException(
                        "every timer must run, " + (runs.length - countTaken()) + " of " + runs.length + " did not");
            }
            Pause.nanos(500_000);
        }
    }

    private boolean areAllTaken() {
        while (taken < latenesses.length && (long) ELEMENT.getAcquire(latenesses, taken) != EMPTY) {
            taken++;
        }
        return taken == latenesses.length;
    }

    /** Returns how many slots are taken. */
    public int countTaken() {
        int count = 0;
        for (int index = 0; index < latenesses.length; index++) {
            if ((long) ELEMENT.getAcquire(latenesses, index) != EMPTY) {
                count++;
            }
        }
        return count;
    }

    /**
     * Fails if any timer ran twice.
     *
     * @throws IllegalStateException if one did
     */
    public void checkOnce() {
        for (int index = 0; index < runs.length; index++) {
            if (runs[index] > 1) {
                throw new IllegalStateException("a timer must run once, ran " + runs[index] + " times");
            }
        }
    }

    /** Returns the latenesses of the slots in this range that are taken. */
    public long[] takenBetween(int from, int to) {
        long[] found = new long[to - from];
        int count = 0;
        for (int index = from; index < to; index++) {
            long late = (long) ELEMENT.getAcquire(latenesses, index);
            if (late != EMPTY) {
                found[count++] = late;
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** Returns how many slots there are. */
    public int size() {
        return latenesses.length;
    }

    /** Returns how many runs were on the timer thread. */
    public long onTimerThread() {
        long count = 0;
        for (byte flag : runsOnTimerThread) {
            count += flag;
        }
        return count;
    }
}
