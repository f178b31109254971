package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableSettings.UnknownHandlers;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.NodeTable.NodeRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices tasks of handlers that no node has. Heartbeats bring the rows of nodes; a process that is no node reads them
 * when it schedules for a handler that it does not know. A caller's transaction is never asked. Any thread.
 */
final class HandlerCheck {

    private static final long PATIENCE_MILLIS = 1_000;

    /** A program may generate names, one for each task. */
    private static final int MOST_NAMES = 100;

    /** A name that is missing is looked for once more, unless the rows were read in that part of a heartbeat. */
    private static final int PART_OF_HEARTBEAT = 10;

    private final DurableSettings settings;
    private final Duration silence;
    private final Database database;
    private final Handlers handlers;
    private final LongSupplier nanoTime;
    private final MaintenanceJobs jobs;
    private final MaintenanceJobs.Soon refresh;

    /**
     * The handlers that were learned last, and the time of that. Writer: {@link #learn}; of two that learn at a time,
     * either is new enough.
     */
    private volatile Learned last = new Learned(KnownHandlers.NONE, 0);

    /** The rows that are being read while callers wait for them; null for none. */
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> reading = new AtomicReference<>();

    /** When rows were read last for a name. Writer: who reads. */
    private volatile long askedNanos;

    /** To be looked for with the next rows of nodes. */
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    private record Learned(KnownHandlers known, long atNanos) {}

    /** @param silence a node that has said nothing for longer is no evidence */
    HandlerCheck(
            DurableSettings settings,
            Duration silence,
            Database database,
            Handlers handlers,
            LongSupplier nanoTime,
            MaintenanceJobs jobs) {
        this.settings = settings;
        this.silence = silence;
        this.database = database;
        this.handlers = handlers;
        this.nanoTime = nanoTime;
        this.jobs = jobs;
        this.refresh = jobs.new Soon(this::read);
        this.askedNanos = nanoTime.getAsLong() - settings.heartbeat().toNanos();
    }

    /**
     * Is called before a task is scheduled, and before the database is asked for anything.
     *
     * @throws IllegalArgumentException if no node has that handler, and that is to fail
     */
    void require(String name) {
        if (handlers.find(name) != null) {
            return;
        }
        if (settings.unknownHandlers() == UnknownHandlers.FAIL) {
            if (isMissing(name, settings.heartbeat().toNanos() / PART_OF_HEARTBEAT)) {
                throw new IllegalArgumentException("handler must be declared by a living node, was '" + name + "'");
            }
        } else if (!reported.contains(name)
                && !isKnown(name)
                && reported.size() < MOST_NAMES
                && missing.size() < MOST_NAMES) {
            boolean ignored = missing.add(name);
            long passed = nanoTime.getAsLong() - askedNanos;
            refresh.in(Math.max(0, settings.heartbeat().toNanos() - passed));
        }
    }

    /** Whether rows that are not too old have it. */
    private boolean isKnown(String name) {
        Learned learned = last;
        return learned.known.words().contains(NodeTable.Has.word(name))
                && isAtMost(learned, settings.deadAfter().toNanos());
    }

    private boolean isAtMost(Learned learned, long nanos) {
        return learned.known != KnownHandlers.NONE && nanoTime.getAsLong() - learned.atNanos <= nanos;
    }

    /**
     * Reads rows of nodes on another thread, unless what is known is new enough; without an answer, nothing is known.
     */
    private boolean isMissing(String name, long newNanos) {
        if (isKnown(name)) {
            return false;
        }
        if (!isAtMost(last, newNanos)) {
            awaitRead();
        }
        Learned learned = last;
        return isAtMost(learned, settings.deadAfter().toNanos()) && learned.known.lack(name);
    }

    /**
     * Waits for rows that are being read, for callers together; what they come too late for is decided without them.
     */
    private void awaitRead() {
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> going = reading.compareAndExchange(null, mine);
        if (going == null) {
            boolean isAccepted = false;
            try {
                isAccepted = jobs.accept(() -> {
                    try {
                        read();
                    } finally {
                        endRead(mine);
                    }
                });
            } finally {
                if (!isAccepted) {
                    endRead(mine);
                }
            }
        }
        try {
            Boolean ignored = (going == null ? mine : going).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException ex) {
            LOGGER.debug(
                    "The handlers of other nodes were not read in time; the last answer counts while it is recent", ex);
        }
    }

    private void endRead(CompletableFuture<Boolean> read) {
        boolean ignored = reading.compareAndSet(read, null);
        boolean unused = read.complete(true);
    }

    private void read() {
        askedNanos = nanoTime.getAsLong();
        Tables tables = database.tables();
        learn(tables.nodes().list(), tables.tasks().now(), tables.nodes()::handlersOf);
    }

    /** Takes in rows of nodes as they are, and reports the names that none of these has. */
    void learn(List<NodeRow> nodes, Instant now, Function<Collection<Long>, Map<Long, String>> reader) {
        Learned learned = new Learned(known().learn(nodes, now.minus(silence), reader), nanoTime.getAsLong());
        last = learned;
        for (String name : List.copyOf(missing)) {
            if (missing.remove(name) && learned.known.lack(name) && handlers.find(name) == null && reported.add(name)) {
                LOGGER.warn("A durable task was scheduled for the handler '" + name
                        + "', which no node has: it waits until one has it. Correct the name, or start a "
                        + "node with that "
                        + "handler");
            }
        }
    }

    /** Returns what was known last. */
    KnownHandlers known() {
        return last.known;
    }
}
