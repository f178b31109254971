package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.Database.HeldConnection;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells other nodes something at once, and hears what they tell, over notifications of PostgreSQL. On another database,
 * or where it is switched off, nothing is sent or received. A notification may be lost; then others find the row by
 * polling.
 *
 * <pre>
 *  tell --> what is to be told, each text once
 *      --> a keeper, one at a time: pg_notify, on a connection that it keeps while there is something to tell
 *  listener, a thread of its own --> waits on a second connection, without a statement
 *      --> who is interested in that kind, unless this node has told it
 * </pre>
 *
 * A text is a kind, the number of who tells it, and the rest, with spaces between them; programs that are no node send
 * the kind alone. Any thread, but that no transaction of the caller's is taken part in.
 */
final class Notifications {

    /** Something is due that its node does not start. */
    static final String LOOK = "look";

    /** The rest of such a text, if it has been due for so long that only a look at all that waits finds it. */
    static final String OLD = "old";

    /** A node has been asked to end a run. */
    static final String END = "end";

    private static final String PROBE = "heard";

    /** By the number of the table, which is the same for all names that it has; two tables never have the same. */
    static final String CHANNEL = "'wheel_durable_' || '{task}'::regclass::oid";

    private static final int MOST_PENDING = 1_000;
    private static final int PARTS = 3;
    private static final long LAST_MILLIS = 300;
    private static final long APART_NANOS = 5_000_000;
    private static final long SPARE_NANOS = 10_000_000_000L;
    static final int QUARTER = 4;

    private final DurableSettings settings;
    private final Database database;
    private final NodeGroups groups;
    private final ThreadOrigin origin = new ThreadOrigin();

    /** The id of this sender in its texts, by which it ignores its own. */
    private final String sender = Long.toHexString(ThreadLocalRandom.current().nextLong());

    private final Map<String, Consumer<String>> interested = new ConcurrentHashMap<>();

    /** Guarded by itself. */
    private final Set<String> pending = new LinkedHashSet<>();

    /** Whether a keeper sends, or is about to. */
    private final AtomicBoolean isSending = new AtomicBoolean();

    /** Zero when nothing is to be heard any more. */
    final CountDownLatch deaf = new CountDownLatch(1);

    private volatile boolean isClosed;

    private volatile long sentNanos;
    private volatile @Nullable Thread notificationListener;

    /** Gives the connection back that nothing has been told over for long. */
    private volatile @Nullable Future<?> spare;

    private final ReentrantLock speaking = new ReentrantLock();

    // Guarded by the lock

    private @Nullable HeldConnection mouth;
    private long takenNanos;

    Notifications(DurableSettings settings, Database database, NodeGroups groups) {
        this.settings = settings;
        this.database = database;
        this.groups = groups;
        this.sentNanos = groups.jobs().nanoTime() - APART_NANOS;
    }

    /** Sets the receiver of a kind. It is called with the rest of each text, on a thread that must not be delayed. */
    void on(String kind, Consumer<String> listener) {
        Object ignored = interested.put(kind, listener);
    }

    // Telling

    /** Tells the other nodes something, once if it is told again before it has gone out. Waits for nothing. */
    void tell(String kind, String rest) {
        if (!settings.nudge() || isClosed || !isPossible()) {
            return;
        }
        tell(kind + " " + sender + (rest.isEmpty() ? "" : " " + rest));
    }

    private void tell(String text) {
        synchronized (pending) {
            boolean ignored = pending.size() < MOST_PENDING && pending.add(text);
        }
        sendSoon();
    }

    /**
     * Before the database has answered, there is nothing to tell; in virtual time, a text would come at a time of its
     * own.
     */
    private boolean isPossible() {
        return database.knownDialect() == Dialect.POSTGRESQL
                && !groups.executor().timeSource().isVirtual();
    }

    private void sendSoon() {
        if (isSending.compareAndSet(false, true)) {
            long pause = sentNanos + APART_NANOS - groups.jobs().nanoTime();
            try {
                Object ignored = groups.jobs().schedule(this::sendPending, Math.max(0, pause), TimeUnit.NANOSECONDS);
            } catch (Throwable ex) {
                // An error, too: others look by themselves, and may be told of what follows.
                isSending.set(false);
                LOGGER.debug("A notification was not sent; other nodes find the tasks by polling", ex);
            }
        }
    }

    private void sendPending() {
        try {
            List<String> texts;
            synchronized (pending) {
                texts = List.copyOf(pending);
                pending.clear();
            }
            send(texts);
        } catch (RuntimeException ex) {
            LOGGER.debug("A notification could not be sent; other nodes find the tasks by polling", ex);
        } finally {
            sentNanos = groups.jobs().nanoTime();
            isSending.set(false);
            boolean isMore;
            synchronized (pending) {
                isMore = !pending.isEmpty();
            }
            if (isMore) {
                sendSoon();
            }
        }
    }

    void send(List<String> texts) {
        speaking.lock();
        boolean isSent = false;
        try {
            HeldConnection held = mouth;
            boolean isNew = held == null;
            if (held == null) {
                held = database.held();
                mouth = held;
                takenNanos = groups.jobs().nanoTime();
            }
            held.use(tables -> {
                for (String text : texts) {
                    Object ignored =
                            tables.sql().query("select pg_notify(" + CHANNEL + ", ?)", (row, number) -> true, text);
                }
                return true;
            });
            isSent = true;
            if (isNew && mayKeep()) {
                giveBackSoon(held);
            }
        } finally {
            if (!isSent || !mayKeep()) {
                giveBack();
            }
            speaking.unlock();
        }
    }

    /** Where a node listens, the pool has room; but it must not take a connection for lost. */
    private boolean mayKeep() {
        long longest = database.longestKept().toNanos();
        return notificationListener != null
                && !isDeaf()
                && (longest == 0 || groups.jobs().nanoTime() - takenNanos < longest / QUARTER);
    }

    private void giveBackSoon(HeldConnection held) {
        long longest = database.longestKept().toNanos();
        try {
            Future<?> later = groups.jobs()
                    .schedule(
                            () -> giveBackSpare(held),
                            longest == 0 ? SPARE_NANOS : Math.min(SPARE_NANOS, longest / QUARTER),
                            TimeUnit.NANOSECONDS);
            spare = later;
            if (isDeaf()) {
                boolean ignored = later.cancel(false);
            }
        } catch (RejectedExecutionException ex) {
            giveBack();
        }
    }

    private void giveBackSpare(HeldConnection held) {
        speaking.lock();
        try {
            if (mouth == held && mayKeep() && groups.jobs().nanoTime() - sentNanos < SPARE_NANOS) {
                giveBackSoon(held);
            } else if (mouth == held) {
                giveBack();
            }
        } finally {
            speaking.unlock();
        }
    }

    private void giveBack() {
        HeldConnection held = mouth;
        mouth = null;
        if (held != null) {
            held.close();
        }
    }

    // Hearing

    /** Begins to hear what is told, unless the pool has no connection to spare for that. */
    void listen() {
        if (!settings.nudge() || !isPossible() || notificationListener != null) {
            return;
        }
        NotificationListener listening = NotificationListener.of(this, database);
        if (listening == null) {
            LOGGER.info("Durable tasks that other processes schedule to run at once are found by polling, as the "
                    + "driver of the database is not that of org.postgresql. Use that driver, or accept the delay");
        } else if (!database.hasRoomToListen()) {
            LOGGER.info("Durable tasks that other processes schedule to run at once are found by polling. For"
                    + " notifications, a node needs " + Database.LEAST_TO_LISTEN + " connections, and the pool "
                    + (database.size() == Integer.MAX_VALUE
                            ? "does not say how many it has. Use HikariCP, or accept the delay"
                            : "has " + database.size() + ". Enlarge the pool, or accept the delay"));
        } else {
            Thread thread = origin.newDaemon(listening, "wheel-durable-listener");
            try {
                thread.start();
                notificationListener = thread;
            } catch (OutOfMemoryError ex) {
                LOGGER.warn(
                        "Durable tasks that other processes schedule to run at once are found by polling: the"
                                + " thread that receives notifications could not be started",
                        ex);
            }
        }
    }

    /** Hears nothing more, soon: the listener wakes up when it hears of that. */
    void deafen() {
        deaf.countDown();
        Future<?> later = spare;
        if (later != null) {
            // Closing waits for what jobs are still to do.
            boolean ignored = later.cancel(false);
        }
        if (notificationListener != null) {
            tell(probe());
        }
    }

    /** Tells and hears nothing more; waits for the listener, which gives its connection back, for a moment. */
    void close() {
        isClosed = true;
        deaf.countDown();
        Thread listening = notificationListener;
        if (listening != null) {
            try {
                listening.join(LAST_MILLIS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
        // Who speaks gives it back when that is done.
        if (speaking.tryLock()) {
            try {
                giveBack();
            } finally {
                speaking.unlock();
            }
        }
    }

    /** Returns a text that is for no other node. */
    String probe() {
        return PROBE + " " + sender;
    }

    boolean isDeaf() {
        return deaf.getCount() == 0 || groups.executor().isShutdown();
    }

    /** Takes in a text that a node or a program has told. */
    void hear(String text) {
        String[] parts = text.split(" ", PARTS);
        Consumer<String> listener = interested.get(parts[0]);
        if (listener != null && (parts.length == 1 || !parts[1].equals(sender))) {
            listener.accept(parts.length < PARTS ? "" : parts[PARTS - 1]);
        }
    }
}
