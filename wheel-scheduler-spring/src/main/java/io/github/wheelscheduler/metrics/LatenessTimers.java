package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.internal.CallerStripe;
import io.github.wheelscheduler.internal.spring.watch.LatenessCounts;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import io.github.wheelscheduler.spring.watch.LatenessListener;
import io.micrometer.core.instrument.Timer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells two timers how late runs start. */
final class LatenessTimers implements LatenessListener {

    /*
     * To tell a timer takes longer than to count, which is felt where runs are short and many. So of the runs that a
     * thread starts within a second, the first ones are recorded at once, and those beyond are counted:
     *
     *      runs of a thread in a second   1, 2, 3 ... DIRECT |  ...
     *                                     recorded           |  counted by size --> recorded a second later
     *
     * A thread that is there for just one second has the counted ones recorded, each with the value in the middle of
     * its size, and so has a thread that reads another meter before. If there are far too many, the same share of each
     * size is recorded, which leaves averages and percentiles about as they are.
     *
     * Threads share stripes, so that threads that come and go leave nothing behind. Two that write one stripe's tally
     * at a time lose a count of it, whereupon a run more is recorded at once. Postponed counts are never lost.
     */

    /** Runs in a second that are recorded at once; of each stripe. */
    static final int DIRECT = 2_000;

    /** Runs that are recorded at a time, about. */
    static final int MOST_AT_A_TIME = 200_000;

    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Two cache lines. */
    private static final int STRIDE = 16;

    /** About a second. */
    private static final long SECOND_MASK = -1L << 30;

    private final Timer wheel;
    private final Timer queue;
    private final Consumer<Runnable> later;

    /** For each stripe, the second, and in its low bits the runs in it. Plain reads and writes of any thread. */
    private final AtomicLongArray tallies = new AtomicLongArray(CallerStripe.COUNT * STRIDE);

    private final LatenessCounts unrecorded = new LatenessCounts();

    /** Whether there may be unrecorded runs. Written after they are counted, and before they are looked for. */
    private volatile boolean isBehind;

    /** Whether a thread will catch up. Set after runs are counted, and cleared before they are looked for. */
    private final AtomicBoolean willCatchUp = new AtomicBoolean();

    private final ReentrantLock catchingUp = new ReentrantLock();

    /** Catches up, or has. Writers: threads of runs, before they start it. Reader: the thread that closes this. */
    private volatile @Nullable Thread thread;

    /** Writer: the thread that closes this, before it wakes the other. Reader: that one, before it sleeps. */
    private volatile boolean closed;

    /** Creates one that catches up within about a second. */
    LatenessTimers(Timer wheel, Timer queue) {
        this(wheel, queue, DELAY_NANOS);
    }

    /** Creates one that catches up after that time, or when it is closed. */
    LatenessTimers(Timer wheel, Timer queue, long delayNanos) {
        ThreadOrigin origin = new ThreadOrigin();
        this.wheel = wheel;
        this.queue = queue;
        this.later = action -> startLater(origin, action, delayNanos);
    }

    /** Creates one that catches up when {@code later} runs its task. */
    LatenessTimers(Timer wheel, Timer queue, Consumer<Runnable> later) {
        this.wheel = wheel;
        this.queue = queue;
        this.later = later;
    }

    private void startLater(ThreadOrigin origin, Runnable action, long delayNanos) {
        Runnable delayed = () -> {
            if (!closed) {
                LockSupport.parkNanos(delayNanos);
            }
            action.run();
        };
        Thread created = origin.newDaemon(delayed, "wheel-scheduler-meters");
        thread = created;
        created.start();
    }

    /** Lets the thread that catches up end now, if there is one. */
    void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void starting(long wheelNanos, long queueNanos, long nowNanos) {
        int place = CallerStripe.index() * STRIDE;
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
            countForLater(wheelNanos, queueNanos);
        }
    }

    private void countForLater(long wheelNanos, long queueNanos) {
        unrecorded.add(wheelNanos, queueNanos);
        if (!isBehind) {
            isBehind = true;
        }
        if (!willCatchUp.get() && willCatchUp.compareAndSet(false, true)) {
            try {
                later.accept(() -> {
                    willCatchUp.set(false);
                    catchingUp.lock();
                    recordCountedAndUnlock();
                });
            } catch (Throwable ex) {
                // There may be no thread available just now; the next run tries again.
                willCatchUp.set(false);
                throw ex;
            }
        }
    }

    /** Records the pending counts, unless another thread is doing so. */
    void catchUp() {
        if (isBehind && catchingUp.tryLock()) {
            recordCountedAndUnlock();
        }
    }

    /** Records the counts. An exception of a timer affects neither a run nor a scrape. */
    private void recordCountedAndUnlock() {
        try {
            isBehind = false;
            long[] counts = new long[2 * LatenessCounts.BUCKETS];
            unrecorded.addTo(counts, true);
            record(wheel, counts, 0);
            record(queue, counts, LatenessCounts.BUCKETS);
        } catch (RuntimeException ex) {
            // Said when the first runs of a second are recorded.
        } finally {
            catchingUp.unlock();
        }
    }

    private static void record(Timer timer, long[] counts, int first) {
        long runs = Arrays.stream(counts, first, first + LatenessCounts.BUCKETS).sum();
        double share = Math.min(1, (double) MOST_AT_A_TIME / runs);
        for (int bucket = 0; bucket < LatenessCounts.BUCKETS; bucket++) {
            long nanos = LatenessCounts.middleOf(bucket);
            // Rounded up, so that the longest is not lost.
            long count = (long) Math.ceil(share * counts[first + bucket]);
            for (long i = 0; i < count; i++) {
                timer.record(nanos, TimeUnit.NANOSECONDS);
            }
        }
    }
}
