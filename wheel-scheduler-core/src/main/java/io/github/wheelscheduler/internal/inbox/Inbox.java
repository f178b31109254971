package io.github.wheelscheduler.internal.inbox;

import io.github.wheelscheduler.internal.CallerStripe;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue that any thread posts to and one thread, the owner, drains and sleeps on. Messages of one thread keep their
 * order; messages of several threads do not.
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
     *      producer index of its stripe by CAS   2  full fence
     *   2  read announced                        3  has any producer index moved?
     *      AWAKE or soon enough: done               yes: announced = AWAKE, drain again
     *      else: win it by CAS to AWAKE,            no: park until then
     *            and unpark                      4  announced = AWAKE
     *
     * Both sides write and then read what the other has written, and all four accesses are volatile, so they have one
     * order that all threads agree on. So at least one of the two sees the other: either the poster reads the
     * announcement and decides by it, or the owner sees that the index has moved and does not park. A poster whose CAS
     * fails needs to do nothing: the thread that changed the word either woke the owner, or is the owner, which looks
     * at the queue after every change it makes.
     *
     * Step 3 of the owner asks for the bare index, not whether the queue is empty. A producer that has moved the index
     * but not stored its element yet hides the elements behind it, whose posters have seen AWAKE and gone. And a
     * producer that moves the queue to a new chunk first makes the index odd by CAS, which the queue's own isEmpty()
     * overlooks, and then moves it on with less than a volatile write. The owner must not park in either case, and does
     * not.
     *
     * The announcement
     * ----------------
     * A time with the lowest bit cut off, which makes it up to 1 ns too early. AWAKE has that bit set and so is no
     * time.
     */

    private static final long AWAKE = 1L;

    private static final int CHUNK_SIZE = 256;

    /** About so many messages wake the owner even if none of them is urgent: it bounds the memory they hold. */
    public static final int LARGE_BACKLOG = 16_384;

    /**
     * The share of pairs of messages, one in this number, that check the backlog, because that reads memory that the
     * owner and others write continuously.
     */
    private static final int SAMPLE_MASK = 127;

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<Inbox> ANNOUNCED =
            AtomicLongFieldUpdater.newUpdater(Inbox.class, "announced");

    /**
     * One for each group of callers, by the number of the thread: so each caller stays in one, and callers do not meet
     * there.
     */
    private final Stripe<E>[] stripes = newStripes();

    /** Where the next drain begins. Owner only. */
    private int firstToDrain;

    /** The producer index of each stripe at the last {@link #mark}. Owner only. */
    private final long[] marked = new long[CallerStripe.COUNT];

    /**
     * Writers: the owner, and the one poster that wakes it. Readers: posters. Volatile for the order of the wake rule.
     */
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
        postLazily(message);
        wakeFor(neededAtNanos);
    }

    /**
     * Wakes the owner for a message that has been {@linkplain #postLazily posted} and that it is to see at {@code
     * neededAtNanos}. Any thread.
     */
    public void wakeFor(long neededAtNanos) {
        long seen = announced;
        if (seen != AWAKE && (neededAtNanos - seen < 0 || isFlooded(LARGE_BACKLOG - 1))) {
            wake(seen);
        }
    }

    /**
     * Whether more than so many messages wait. A thread that posts a message asks each time; the answer is mostly no,
     * without a look. Any thread.
     */
    public boolean isFlooded(long limit) {
        return isSample() && holdsMoreThan(limit);
    }

    /** Whether more than so many messages wait. Any thread. */
    public boolean holdsMoreThan(long limit) {
        return size() > limit;
    }

    /** Posts a message that can wait until the owner polls the queue without being woken. Any thread. */
    public void postLazily(E message) {
        stripe().offer(message);
    }

    private Stripe<E> stripe() {
        return stripes[CallerStripe.index()];
    }

    /** Wakes the owner if it sleeps. Any thread. */
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
        for (int i = 0; i < stripes.length && drained < limit; i++) {
            drained += drain(stripes[(firstToDrain + i) & (CallerStripe.COUNT - 1)], consumer, limit - drained);
        }
        firstToDrain++;
        return drained;
    }

    private static <E> int drain(Stripe<E> stripe, Consumer<? super E> consumer, int limit) {
        int drained = 0;
        while (drained < limit) {
            E message = stripe.relaxedPoll();
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
        for (Stripe<E> stripe : stripes) {
            if (!stripe.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /** Notes which messages have been posted so far. Owner only. */
    public void mark() {
        for (int i = 0; i < stripes.length; i++) {
            marked[i] = stripes[i].currentProducerIndex();
        }
    }

    /** Whether all messages that had been posted at the last {@link #mark} have been taken out. Owner only. */
    public boolean isDrainedToMark() {
        for (int i = 0; i < stripes.length; i++) {
            if (stripes[i].currentConsumerIndex() < marked[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many messages have been posted so far. Any thread. */
    public long posted() {
        long posted = 0;
        for (Stripe<E> stripe : stripes) {
            posted += stripe.currentProducerIndex();
        }
        return posted;
    }

    /** Returns about how many messages are in here. Any thread. */
    public long size() {
        long size = 0;
        for (Stripe<E> stripe : stripes) {
            size += stripe.waiting();
        }
        return size;
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

    /**
     * Whether no thread has asked the owner to wake up since it {@linkplain #announce announced} its sleep. Any thread.
     */
    public boolean isSleepAnnounced() {
        return announced != AWAKE;
    }

    /**
     * Returns the time that a sleep is {@linkplain #announce announced} until, {@code awakeValue} if none is. Any
     * thread.
     */
    public long announcedNanos(long awakeValue) {
        long seen = announced;
        return seen == AWAKE ? awakeValue : seen;
    }

    /** Takes the announcement back after a sleep. Owner only; it looks at the queue next. */
    public void awake() {
        announced = AWAKE;
    }

    /**
     * Two adjacent ones out of this number of messages of each stripe, so that callers that check every other one are
     * not missed forever.
     */
    private boolean isSample() {
        return (stripe().currentProducerIndex() & SAMPLE_MASK) < 2;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Stripe<E>[] newStripes() {
        Stripe<E>[] stripes = new Stripe[CallerStripe.COUNT];
        for (int i = 0; i < stripes.length; i++) {
            stripes[i] = new Stripe<>(CHUNK_SIZE);
        }
        return stripes;
    }

    private void wake(long seen) {
        if (ANNOUNCED.compareAndSet(this, seen, AWAKE)) {
            LockSupport.unpark(owner);
        }
    }
}
