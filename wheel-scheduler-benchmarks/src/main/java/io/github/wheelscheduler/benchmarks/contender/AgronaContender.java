package io.github.wheelscheduler.benchmarks.contender;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Long2ObjectHashMap;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Agrona's {@link DeadlineTimerWheel}, which belongs to one thread: on a thread of its own, behind a queue for other
 * threads, in front of workers.
 */
final class AgronaContender implements Contender {

    /*
     * A spoke is searched from its start for a free slot, and all spokes grow with the fullest. So ticks are short
     * enough to spread timers that one thread arms in a row, and spokes are few enough to bear that growth.
     */
    private static final long TICK_NANOS = 1L << 14;
    private static final int TICKS_PER_WHEEL = 1 << 15;

    /** It has no way to be woken, so it looks around twice in a millisecond. */
    private static final long PARK_NANOS = 500_000;

    private static final int QUEUE_CHUNK = 1024;
    private static final int BATCH = 4096;

    private final MpscUnboundedVarHandleArrayQueue<Entry> inbox = new MpscUnboundedVarHandleArrayQueue<>(QUEUE_CHUNK);
    private final DeadlineTimerWheel wheel =
            new DeadlineTimerWheel(TimeUnit.NANOSECONDS, System.nanoTime(), TICK_NANOS, TICKS_PER_WHEEL);
    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();
    private final ExecutorService workers;
    private final Thread thread = new Thread(this::drive, "agrona-wheel");

    /** Writer: the closing thread. Reader: the wheel's thread. */
    private volatile boolean closed;

    private AgronaContender(int workers) {
        this.workers = Executors.newFixedThreadPool(workers);
    }

    static AgronaContender withWorkers(int workers) {
        AgronaContender contender = new AgronaContender(workers);
        contender.thread.start();
        return contender;
    }

    private void drive() {
        while (!closed) {
            if (drain() + advance() == 0) {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }

    private int drain() {
        int drained = 0;
        Entry entry;
        while (drained < BATCH && (entry = inbox.relaxedPoll()) != null) {
            drained++;
            if (!entry.cancelled) {
                entry.id = wheel.scheduleTimer(entry.deadlineNanos);
                entries.put(entry.id, entry);
            } else if (entry.id != Entry.NO_ID) {
                wheel.cancelTimer(entry.id);
                entries.remove(entry.id);
                entry.id = Entry.NO_ID;
            }
        }
        return drained;
    }

    private int advance() {
        long nowNanos = System.nanoTime();
        int expired = 0;
        int before;
        do {
            before = expired;
            expired += wheel.poll(nowNanos, this::expire, BATCH);
        } while (expired < BATCH && (expired > before || wheel.currentTickTime() - nowNanos <= 0));
        return expired;
    }

    private boolean expire(TimeUnit unit, long nowNanos, long id) {
        Entry entry = entries.remove(id);
        if (entry != null) {
            entry.id = Entry.NO_ID;
            if (!entry.cancelled) {
                workers.execute(entry.task);
            }
        }
        return true;
    }

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        return scheduleAt(task, System.nanoTime() + delayNanos);
    }

    @Override
    public Object scheduleAt(BenchTask task, long deadlineNanos) {
        Entry entry = new Entry(task, deadlineNanos);
        inbox.offer(entry);
        return entry;
    }

    @Override
    public void cancel(Object handle) {
        Entry entry = (Entry) handle;
        entry.cancelled = true;
        inbox.offer(entry);
    }

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        SelfArming.atRate(this, task, firstDeadlineNanos, periodNanos);
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        SelfArming.withDelay(this, task, firstDeadlineNanos, delayNanos);
    }

    @Override
    public @Nullable Thread timerThread() {
        return thread;
    }

    @Override
    public void close() {
        closed = true;
        List<Runnable> ignored = workers.shutdownNow();
    }

    private static final class Entry {

        private static final long NO_ID = -1;

        private final BenchTask task;
        private final long deadlineNanos;

        /** Writer and reader: the wheel's thread. */
        private long id = NO_ID;

        /** Writer: the cancelling thread, before it posts. Reader: the wheel's thread. */
        private volatile boolean cancelled;

        Entry(BenchTask task, long deadlineNanos) {
            this.task = task;
            this.deadlineNanos = deadlineNanos;
        }
    }
}
