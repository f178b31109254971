package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.internal.spring.watch.LatenessCounts;
import io.github.wheelscheduler.spring.watch.LatenessListener;
import io.micrometer.core.instrument.Timer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells two timers how late runs start. */
final class LatenessTimers implements LatenessListener {

    /*
     * To tell a timer takes longer than to count, which is felt where runs are short and many. So of the runs that a thread
     * starts within a second, the first ones are recorded at once, and those beyond are counted:
     *
     *      runs of a thread in a second   1, 2, 3 ... DIRECT |  ...
     *                                     recorded           |  counted by size --> recorded a second later
     *
     * A thread that is there for just one second has the counted ones recorded, each with the value in the middle of its
     * size, and so has whoever reads another meter before. If there are far too many, the same share of each size is
     * recorded, which leaves averages and percentiles about as they are.
     *
     * Threads share stripes, so that threads that come and go leave nothing behind. Two that write one stripe's tally at a
     * time lose a count of it, whereupon a run more is recorded at once. What is counted for later is never lost.
     */

    /** Runs in a second that are recorded at once; of each stripe. */
    static final int DIRECT = 2_000;

    /** Runs that are recorded at a time, about. */
    static final int MOST_AT_A_TIME = 200_000;

    private static final int STRIPES = 16;

    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Two cache lines. */
    private static final int STRIDE = 16;

    /** About a second. */
    private static final long SECOND_MASK = -1L << 30;

    private final Timer wheel;
    private final Timer queue;
    private final Consumer<Runnable> later;

    /** For each stripe, the second, and in its low bits the runs in it. Plain reads and writes of any thread. */
    private final AtomicLongArray tallies = new AtomicLongArray(STRIPES * STRIDE);

    /** Null where there has never been anything to count. */
    private final AtomicReferenceArray<@Nullable LatenessCounts> unrecorded = new AtomicReferenceArray<>(STRIPES);

    /** Whether there may be unrecorded runs. Written after they are counted, and before they are looked for. */
    private volatile boolean isBehind;

    /** Whether a thread will catch up. Set after runs are counted, and cleared before they are looked for. */
    private final AtomicBoolean willCatchUp = new AtomicBoolean();

    private final ReentrantLock catchingUp = new ReentrantLock();

    /** Makes one that catches up within about a second. */
    LatenessTimers(Timer wheel, Timer queue) {
        this(wheel, queue, LatenessTimers::inASecond);
    }

    /** Makes one that catches up when {@code later} runs what it is given. */
    LatenessTimers(Timer wheel, Timer queue, Consumer<Runnable> later) {
        this.wheel = wheel;
        this.queue = queue;
        this.later = later;
    }

    private static void inASecond(Runnable action) {
        Runnable delayed = () -> {
            LockSupport.parkNanos(DELAY_NANOS);
            action.run();
        };
        Thread thread = new Thread(null, delayed, "wheel-scheduler-meters", 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void starting(long wheelNanos, long queueNanos, long nowNanos) {
        int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
        int place = stripe * STRIDE;
        long second = nowNanos & SECOND_MASK;
        long tally = tallies.getPlain(place);
        if ((tally & SECOND_MASK) != second) {
            tally = second;
        }
        tallies.setPlain(place, tally + 1);
        if (tally - second < DIRECT) {
            wheel.record(wheelNanos, TimeUnit.NANOSECONDS);
            queue.record(queueNanos, TimeUnit.NANOSECONDS);
        } else {
            countForLater(stripe, wheelNanos, queueNanos);
        }
    }

    private void countForLater(int stripe, long wheelNanos, long queueNanos) {
        LatenessCounts runs = unrecorded.get(stripe);
        if (runs == null) {
            LatenessCounts created = new LatenessCounts();
            LatenessCounts other = unrecorded.compareAndExchange(stripe, null, created);
            runs = other == null ? created : other;
        }
        runs.add(wheelNanos, queueNanos);
        if (!isBehind) {
            isBehind = true;
        }
        if (!willCatchUp.get() && willCatchUp.compareAndSet(false, true)) {
            agreeToCatchUp();
        }
    }

    private void agreeToCatchUp() {
        try {
            later.accept(this::catchUpAsAgreed);
        } catch (Throwable ex) {
            // There may be no thread to be had just now; the next run asks again.
            willCatchUp.set(false);
            throw ex;
        }
    }

    private void catchUpAsAgreed() {
        willCatchUp.set(false);
        catchingUp.lock();
        try {
            recordCounted();
        } finally {
            catchingUp.unlock();
        }
    }

    /** Records what has not been, unless another thread is just doing so. */
    void catchUp() {
        if (isBehind && catchingUp.tryLock()) {
            try {
                recordCounted();
            } finally {
                catchingUp.unlock();
            }
        }
    }

    /** Records what has been counted. A timer that throws harms neither a run nor a scrape. */
    private void recordCounted() {
        isBehind = false;
        long[] wheelCounts = new long[LatenessCounts.BUCKETS];
        long[] queueCounts = new long[LatenessCounts.BUCKETS];
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            LatenessCounts runs = unrecorded.get(stripe);
            if (runs != null) {
                runs.moveTo(wheelCounts, queueCounts);
            }
        }
        try {
            record(wheel, wheelCounts);
            record(queue, queueCounts);
        } catch (RuntimeException ex) {
            // Said when the first runs of a second are recorded.
        }
    }

    private static void record(Timer timer, long[] counts) {
        double share =
                Math.min(1, (double) MOST_AT_A_TIME / Arrays.stream(counts).sum());
        for (int bucket = 0; bucket < counts.length; bucket++) {
            long nanos = LatenessCounts.middleOf(bucket);
            // Rounded up, so that the longest is not lost.
            long count = (long) Math.ceil(share * counts[bucket]);
            for (long i = 0; i < count; i++) {
                timer.record(nanos, TimeUnit.NANOSECONDS);
            }
        }
    }
}
