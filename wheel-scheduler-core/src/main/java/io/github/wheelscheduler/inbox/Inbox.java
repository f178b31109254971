package io.github.wheelscheduler.inbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue that any thread posts to and one thread, the owner, drains and sleeps on.
 *
 * <p>Posting allocates nothing but a share of the next chunk of the queue, takes no lock, and wakes the owner only when
 * the message cannot wait until the owner wakes up by itself.
 *
 * @param <E> the messages; the same object may be posted again while it is still in here
 */
public final class Inbox<E> {

    /*
     * The wake rule
     * -------------
     *      poster                                owner
     *   1  offer(message): moves the             1  announced = wake-up time
     *      producer index by CAS                 2  full fence
     *   2  read announced                        3  has the producer index moved?
     *      AWAKE or soon enough: done               yes: announced = AWAKE, drain again
     *      else: win it by CAS to AWAKE,            no: park until then
     *            and unpark                      4  announced = AWAKE
     *
     * Both sides write and then read what the other has written, and all four accesses are volatile, so they have one order
     * that all threads agree on. So at least one of the two sees the other: either the poster reads the announcement and
     * decides by it, or the owner sees that the index has moved and does not park. A poster whose CAS fails needs to do
     * nothing: whoever changed the word either woke the owner, or is the owner, which looks at the queue after every change
     * it makes.
     *
     * Step 3 of the owner asks for the bare index, not whether the queue is empty. A producer that has moved the index but
     * not stored its element yet hides the elements behind it, whose posters have seen AWAKE and gone. And a producer that
     * moves the queue to a new chunk first makes the index odd by CAS, which the queue's own isEmpty() overlooks, and then moves it on with
     * less than a volatile write. The owner must not park in either case, and does not.
     *
     * The announcement
     * ----------------
     * A time with the lowest bit cut off, which makes it up to 1 ns too early. AWAKE has that bit set and so is no time.
     */

    private static final long AWAKE = 1L;

    private static final int CHUNK_SIZE = 1024;

    /** So many messages wake the owner even if none of them is urgent: it bounds the memory they hold. */
    static final int LARGE_BACKLOG = 16_384;

    private static final VarHandle ANNOUNCED;

    static {
        try {
            ANNOUNCED = MethodHandles.lookup().findVarHandle(Inbox.class, "announced", long.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final MpscUnboundedVarHandleArrayQueue<E> queue = new MpscUnboundedVarHandleArrayQueue<>(CHUNK_SIZE);

    /** Writers: the owner, and the one poster that wakes it. Readers: posters. Volatile for the order of the wake rule. */
    private volatile long announced = AWAKE;

    /** Written once before the owner first announces a sleep; seen by posters through {@link #announced}. */
    private @Nullable Thread owner;

    /** Names the thread that will drain and sleep; once, before it does. */
    public void ownedBy(Thread thread) {
        owner = thread;
    }

    /**
     * Posts a message that the owner is to see at {@code neededAtNanos}, on the clock of {@link #announce}. Any thread.
     */
    public void post(E message, long neededAtNanos) {
        queue.offer(message);
        long seen = announced;
        if (seen != AWAKE && (neededAtNanos - seen < 0 || isBacklogLarge())) {
            wake(seen);
        }
    }

    /** Posts a message that can wait until the owner looks at the queue of its own accord. Any thread. */
    public void postLazily(E message) {
        queue.offer(message);
    }

    /** Wakes the owner if it sleeps, whatever is in the queue. Any thread. */
    public void wake() {
        VarHandle.fullFence();
        long seen = announced;
        if (seen != AWAKE) {
            wake(seen);
        }
    }

    /** Takes messages out, at most {@code limit}, and returns how many. Owner only. */
    public int drain(Consumer<? super E> consumer, int limit) {
        int drained = 0;
        while (drained < limit) {
            E message = queue.relaxedPoll();
            if (message == null) {
                break;
            }
            drained++;
            consumer.accept(message);
        }
        return drained;
    }

    /** Whether there is nothing in here. Exact for the owner as far as finished posts go. */
    public boolean isEmpty() {
        return queue.lvProducerIndex() == 2 * queue.currentConsumerIndex();
    }

    /** Returns how many messages have been posted so far. Any thread. */
    public long posted() {
        return queue.currentProducerIndex();
    }

    /** Returns about how many messages are in here. Any thread. */
    public int size() {
        return queue.size();
    }

    /**
     * Announces that the owner will sleep until {@code wakeUpNanos}. Owner only.
     *
     * @return whether it may park now; if not, there is a message, and the announcement has been taken back
     */
    public boolean announce(long wakeUpNanos) {
        announced = wakeUpNanos & ~AWAKE;
        VarHandle.fullFence();
        if (isEmpty()) {
            return true;
        }
        announced = AWAKE;
        return false;
    }

    /** Whether nobody has asked the owner to wake up since it {@linkplain #announce announced} its sleep. Owner only. */
    public boolean isSleepAnnounced() {
        return announced != AWAKE;
    }

    /** Returns the time that a sleep is {@linkplain #announce announced} until, {@code awakeValue} if none is. Any thread. */
    public long announcedNanos(long awakeValue) {
        long seen = announced;
        return seen == AWAKE ? awakeValue : seen;
    }

    /** Takes the announcement back after a sleep. Owner only; it looks at the queue next. */
    public void awake() {
        announced = AWAKE;
    }

    private boolean isBacklogLarge() {
        return queue.currentProducerIndex() - queue.currentConsumerIndex() >= LARGE_BACKLOG;
    }

    private void wake(long seen) {
        if (ANNOUNCED.compareAndSet(this, seen, AWAKE)) {
            LockSupport.unpark(owner);
        }
    }
}
