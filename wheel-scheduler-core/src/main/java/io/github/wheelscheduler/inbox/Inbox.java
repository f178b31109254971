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
     *   1  offer(message)                     1  announced = wake-up time
     *   2  full fence                         2  full fence
     *   3  read announced                     3  is the queue empty?
     *      AWAKE or soon enough: done            no: announced = AWAKE, drain again
     *      else: win it by CAS to AWAKE,         yes: park until then
     *            and unpark                   4  announced = AWAKE
     *
     * Both sides write, fence, and read what the other has written. So at least one of them sees the other: either the
     * poster reads the announcement and decides by it, or the owner sees the message and does not park. A poster whose
     * CAS fails needs to do nothing: whoever changed the word either woke the owner, or is the owner, which looks at the
     * queue after every change it makes.
     *
     * Step 3 of the owner asks the queue's indices, not its elements. A producer that has taken its index but not stored
     * its element yet makes the queue non-empty while polling finds nothing, and hides the elements behind it, whose
     * posters have seen AWAKE and gone. So the owner must not park then, and does not. While the queue moves to a new
     * chunk the indices may claim that it is empty; the producer that moves it has not reached its own step 2 yet, and all
     * others wait for it inside offer.
     *
     * The announcement
     * ----------------
     * A time with the two lowest bits cut off, which makes it up to 3 ns too early. AWAKE has bit 0 set and so is no time.
     * Bit 1 is set if the owner does not look at the queue within the next second or so: in that case a lazy message, too,
     * wakes it.
     */

    private static final long AWAKE = 1L;
    private static final long LONG_SLEEP = 2L;
    private static final long FLAGS = 3L;

    private static final int CHUNK_SIZE = 1024;

    /** So many messages wake the owner even if none of them is urgent: it bounds the memory they hold. */
    static final int LARGE_BACKLOG = 4096;

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
        VarHandle.fullFence();
        long seen = announced;
        if (seen != AWAKE && (neededAtNanos - (seen & ~FLAGS) < 0 || isBacklogLarge())) {
            wake(seen);
        }
    }

    /** Posts a message that the owner is to see within about a second. Any thread. */
    public void postLazily(E message) {
        queue.offer(message);
        VarHandle.fullFence();
        long seen = announced;
        if (seen != AWAKE && ((seen & LONG_SLEEP) != 0 || isBacklogLarge())) {
            wake(seen);
        }
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
        return queue.isEmpty();
    }

    /** Returns about how many messages are in here. Any thread. */
    public int size() {
        return queue.size();
    }

    /**
     * Announces that the owner will sleep until {@code wakeUpNanos}. Owner only.
     *
     * @param longSleep whether to be woken by lazy messages, too
     * @return whether it may park now; if not, there is a message, and the announcement has been taken back
     */
    public boolean announce(long wakeUpNanos, boolean longSleep) {
        announced = (wakeUpNanos & ~FLAGS) | (longSleep ? LONG_SLEEP : 0);
        VarHandle.fullFence();
        if (queue.isEmpty()) {
            return true;
        }
        announced = AWAKE;
        return false;
    }

    /** Whether nobody has asked the owner to wake up since it {@linkplain #announce announced} its sleep. Owner only. */
    public boolean isSleepAnnounced() {
        return announced != AWAKE;
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
