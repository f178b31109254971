package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * A node that schedules and runs durable tasks: their rows are in a database, which db-scheduler locks and reads; the wheel of an executor knows
 * when they are due. A node claims rows a second before that, so that none waits for a statement when its time comes.
 *
 * <p>It has two groups of the executor: {@code durable} runs tasks, {@code durable-keeper} talks with the database, and is not held up by
 * pause or halt. While the executor is paused or halted, nothing is claimed, and what has not started is given back. All methods may be called from any
 * thread.
 */
public final class DurableEngine implements DurableTasks, AutoCloseable {

    /** The group that runs durable tasks. */
    public static final String GROUP = "durable";

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final int MOST_KEEPERS = 4;
    private static final int LONGEST_NAME = 250;
    private static final int LONGEST_RECURRING = 200;
    private static final long PLANT_AGAIN_MILLIS = 1_000;
    private static final int LONGEST_PAGE = 10_000;
    private static final int LOOKS_PER_CLAIM_AHEAD = 5;
    private static final int LOOKS_AHEAD = 2;
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);
    private static final long ASK_CLOCK_SECONDS = 10;
    private static final long CONNECT_AGAIN_SECONDS = 1;
    private static final long LAST_SECONDS = 1;
    private static final long LOOK_NANOS = 2_000_000;
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private final DurableSettings settings;
    private final WheelScheduledExecutor executor;
    private final WheelScheduledExecutor workers;

    /** Whether the group of workers is this node's own, and not one that the application has set up. */
    private final boolean ownsWorkers;

    private final WheelScheduledExecutor keepers;
    private final Database database;
    private final Payloads payloads;
    private final DurableObserver observer;
    private final Handlers handlers = new Handlers();
    private final PassedOver passedOver = new PassedOver();
    private final Availability availability = new Availability();
    private final Tally tally = new Tally();
    private final DatabaseClock clock;
    private final RecurringTasks recurringTasks;

    /** One thread claims at a time. */
    private final ReentrantLock claiming = new ReentrantLock();

    private final AtomicBoolean isClaimAsked = new AtomicBoolean();
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** Between start and stop. */
    private volatile boolean isRunning;

    /** These are null until the database has answered for the first time. */
    private volatile @Nullable Claims claims;

    private volatile @Nullable Runs runs;
    private volatile @Nullable HeldConnection held;

    /**
     * Makes a node that has not started.
     *
     * @param executor on whose wheel the tasks are; no group, and not shut down with this
     * @param dataSource where the table is; transactions of Spring's on it are taken part in
     * @param mapper writes and reads payloads
     * @param observer is told of runs
     */
    public DurableEngine(
            DurableSettings settings,
            WheelScheduledExecutor executor,
            DataSource dataSource,
            JsonMapper mapper,
            DurableObserver observer) {
        this.settings = Objects.requireNonNull(settings, "settings must not be null");
        this.executor = Objects.requireNonNull(executor, "executor must not be null");
        this.payloads = new Payloads(Objects.requireNonNull(mapper, "mapper must not be null"));
        this.observer = Objects.requireNonNull(observer, "observer must not be null");
        this.database = new Database(dataSource, settings);
        this.clock = new DatabaseClock(executor::nanoTime);
        this.recurringTasks = new RecurringTasks(database, handlers, this::claimSoonAfterCommit);
        WheelScheduledExecutor given = groupOf(executor);
        this.ownsWorkers = given == null;
        this.workers = given != null
                ? given
                : executor.newGroup(GROUP)
                        .maxWorkers(settings.maxConcurrent())
                        .onFull(OnFull.WAIT)
                        .build();
        this.keepers = executor.newGroup(GROUP + "-keeper")
                .maxWorkers(MOST_KEEPERS)
                .onFull(OnFull.WAIT)
                .standsApart(true)
                .build();
    }

    private static @Nullable WheelScheduledExecutor groupOf(WheelScheduledExecutor executor) {
        for (WheelScheduledExecutor group : executor.groups()) {
            if (GROUP.equals(group.groupName())) {
                if (group.isShutdown()) {
                    throw new IllegalStateException(
                            "The group " + GROUP
                                    + " of the executor must not have been shut down, as by another node that still ends its runs");
                }
                return group;
            }
        }
        return null;
    }

    /**
     * Says what runs the tasks of a name on this node. A node claims no task that it has no handler for.
     *
     * @param name by which tasks are scheduled, 1 to 250 characters
     * @param payloadType what their payload is read as
     * @throws IllegalStateException if there is one of that name
     */
    public <T> void handle(String name, Class<T> payloadType, RetryPolicy retries, TaskBody<? super T> body) {
        handle(name, (Type) payloadType, retries, body);
    }

    /** The same for a payload of any type, such as a list of something. */
    public void handle(String name, Type payloadType, RetryPolicy retries, TaskBody<?> body) {
        requireHandler(name);
        Objects.requireNonNull(payloadType, "payloadType must not be null");
        Objects.requireNonNull(retries, "retries must not be null");
        Objects.requireNonNull(body, "body must not be null");
        handlers.add(Handler.ofOneTime(name, payloadType, retries, body));
    }

    /**
     * Runs something again and again, once for all nodes that do. Its row is made when the database answers, unless it is there; if it is there with another schedule, it
     * gets this one. A node that has not been {@linkplain #start started} does neither.
     *
     * @param id what it is called in the database, 1 to 200 characters
     * @param skipsMissed whether a run that is more than ten seconds late is left out
     * @return ends it on this node, and leaves its row to others
     * @throws IllegalStateException if there is one of that id
     */
    public Runnable repeat(String id, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        if (id.isEmpty() || id.length() > LONGEST_RECURRING) {
            throw new IllegalArgumentException("id must have 1 to 200 characters, was '" + id + "'");
        }
        Handler<Void> handler = Handler.ofRecurring(
                id,
                Objects.requireNonNull(recurrence, "recurrence must not be null"),
                skipsMissed,
                Objects.requireNonNull(body, "body must not be null"));
        handlers.add(handler);
        if (claims != null) {
            plantSoon(handler, 0);
        }
        return () -> handlers.remove(handler);
    }

    private void plantSoon(Handler<?> handler, long delayMillis) {
        try {
            Object ignored = keepers.schedule(() -> plant(handler), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Closed before the row of " + handler.name() + " was made");
        }
    }

    /** Makes the row of a recurring task, or gives it another schedule. While another node runs it, that waits. */
    private void plant(Handler<?> handler) {
        Recurrence recurrence = handler.recurrence();
        if (recurrence == null || isClosed.get() || !handlers.has(handler)) {
            return;
        }
        boolean isPlanted = false;
        try {
            Instant first = recurrence.first(clock.now());
            isPlanted = first == null || database.recurring().plant(handler.name(), recurrence.text(), first);
            claimSoon();
        } catch (DataAccessException ex) {
            availability.isAway(ex);
        } finally {
            if (!isPlanted) {
                plantSoon(handler, PLANT_AGAIN_MILLIS);
            }
        }
    }

    // Its life

    /**
     * Begins to claim and to run tasks; if the database does not answer, as soon as it does. Also after {@link #stop}.
     *
     * @throws UnsupportedDatabaseException if the database is none that this works with
     * @throws IllegalStateException if this has been closed
     */
    public void start() {
        if (isClosed.get()) {
            throw new IllegalStateException("A node that has been closed cannot be started");
        }
        isRunning = true;
        if (isStarted.compareAndSet(false, true)) {
            try {
                connect();
            } catch (DataAccessException ex) {
                availability.isAway(ex);
                connectSoon();
            }
        } else {
            claimSoon();
        }
    }

    private void connectSoon() {
        try {
            Object ignored = keepers.schedule(this::connectAgain, CONNECT_AGAIN_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Closed before the database has answered");
        }
    }

    private void connectAgain() {
        boolean isConnected = false;
        try {
            connect();
            isConnected = true;
        } catch (RuntimeException ex) {
            availability.isAway(ex);
        } finally {
            if (!isConnected) {
                connectSoon();
            }
        }
    }

    private void connect() {
        Claims connected = connected();
        availability.isThere();
        LOGGER.info("Durable tasks of " + handlers.names().size() + " handlers run on node " + settings.node()
                + ", whose clock is known to " + clock.error());
        every(Duration.ofMinutes(1), this::forgetGone);
        every(lookEvery(), this::claim);
        every(settings.heartbeat(), this::keep);
        every(Duration.ofSeconds(ASK_CLOCK_SECONDS), () -> clock.ask(database.table()::now));
        claims = connected;
        handlers.recurring().forEach(handler -> plantSoon(handler, 0));
    }

    /** Often enough to see each row about a second before it is due, and a pause soon. */
    private Duration lookEvery() {
        Duration pause = settings.claimAhead().multipliedBy(LOOKS_AHEAD).dividedBy(LOOKS_PER_CLAIM_AHEAD);
        return pause.compareTo(LONGEST_LOOK) < 0 ? pause : LONGEST_LOOK;
    }

    private Claims connected() {
        TaskTable table = database.table();
        clock.ask(table::now);
        HeldConnection heldConnection = database.held();
        held = heldConnection;
        Runs made = new Runs(
                keepers,
                clock,
                table,
                database.recurring(),
                handlers,
                passedOver,
                payloads,
                availability,
                tally,
                observer,
                this::claimSoon);
        runs = made;
        return new Claims(
                settings,
                workers,
                clock,
                heldConnection,
                table,
                database.repository(handlers, passedOver, clock, keepers::nanoTime),
                handlers,
                availability,
                tally,
                made);
    }

    private void every(Duration pause, Runnable step) {
        Object ignored = keepers.scheduleWithFixedDelay(() -> guarded(step), 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable ex) {
            // An error, too: it must not end the series.
            if (Availability.isOfDatabase(ex)) {
                availability.isAway(ex);
            } else {
                LOGGER.error("Keeping durable tasks has failed, and goes on", ex);
            }
        }
    }

    private void claim() {
        Claims current = claims;
        if (current == null) {
            return;
        }
        claiming.lock();
        try {
            boolean more = mayClaim();
            if (!more) {
                current.releaseWaiting();
            }
            while (more) {
                more = current.claimSome() && mayClaim();
            }
        } finally {
            claiming.unlock();
        }
    }

    private boolean mayClaim() {
        return isRunning
                && !isClosed.get()
                && !executor.isPaused()
                && !executor.isHalted()
                && !workers.isPaused()
                && !workers.isHalted()
                && !executor.isShutdown()
                && !workers.isShutdown();
    }

    /** Looks for rows that are due soon without waiting for the next time. */
    private void claimSoon() {
        if (claims != null && !isClosed.get() && isClaimAsked.compareAndSet(false, true)) {
            try {
                Object ignored = keepers.schedule(this::claimAsked, 0, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ex) {
                isClaimAsked.set(false);
            }
        }
    }

    private void claimAsked() {
        isClaimAsked.set(false);
        guarded(this::claim);
    }

    private void keep() {
        Claims current = claims;
        if (current == null) {
            return;
        }
        current.beat();
        int freed = current.freeDead();
        availability.isThere();
        if (freed > 0) {
            LOGGER.info(freed + " durable tasks of nodes that are not heard of any more can be claimed again");
            long unused = tally.takenOver.addAndGet(freed);
            claimSoon();
        }
    }

    private void forgetGone() {
        int gone = database.recurring().deleteBefore(clock.now().minus(settings.forgetAfter()));
        if (gone > 0) {
            LOGGER.info(gone + " recurring durable tasks have run nowhere for " + settings.forgetAfter()
                    + ", and are forgotten");
        }
    }

    /** Gives back what has not started, claims nothing more until it is started again, and waits for runs that are going on, for as long as the settings say. */
    public void stop() {
        isRunning = false;
        giveBackAndAwaitRuns(executor.nanoTime());
    }

    /**
     * Gives back what has not started, and waits for runs that are going on, for as long as the settings say; what then still runs is interrupted, and given
     * back if that makes it fail. Nothing is claimed any more. The executor is left running.
     */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        isRunning = false;
        if (!giveBackAndAwaitRuns(executor.nanoTime())) {
            LOGGER.warn("Durable tasks still run after " + settings.closeLimit()
                    + (ownsWorkers ? ", and are interrupted" : ", in a group that is not this node's own"));
        }
        Runs current = runs;
        if (current != null) {
            current.interrupting();
        }
        try {
            if (ownsWorkers) {
                List<Runnable> ignored = workers.shutdownNow();
                boolean unused = workers.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS);
            }
            // What the database is still to be told goes on until then.
            keepers.shutdown();
            if (!keepers.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS)) {
                LOGGER.warn("The database has not been told of all that this node has done; that is found out after "
                        + settings.deadAfter());
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        List<Runnable> ignored = keepers.shutdownNow();
        HeldConnection connection = held;
        if (connection != null) {
            connection.close();
        }
    }

    /** Returns whether no run is left within the limit. */
    private boolean giveBackAndAwaitRuns(long startNanos) {
        if (claims == null) {
            return true;
        }
        long limitNanos = settings.closeLimit().toNanos();
        try {
            // On another thread: the database may not answer.
            keepers.submit(this::giveBack).get(Math.max(1, limitNanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.warn(
                    "What was claimed could not be given back, and is found dead after " + settings.deadAfter(), ex);
        }
        while (tally.running.get() > 0
                && executor.nanoTime() - startNanos < limitNanos
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        return tally.running.get() == 0;
    }

    private void giveBack() {
        Claims current = claims;
        if (current != null) {
            claiming.lock();
            try {
                current.releaseWaiting();
            } finally {
                claiming.unlock();
            }
        }
    }

    // Scheduling

    @Override
    public boolean schedule(String handler, String id, @Nullable Object payload, Instant at) {
        requireHandler(handler);
        requireName("id", id);
        requireTime(at);
        boolean inserted = database.table().insert(handler, id, payloads.write(payload), at);
        if (inserted) {
            claimSoonIfDueBy(at);
        }
        return inserted;
    }

    @Override
    public int scheduleAll(String handler, List<DurableRequest> requests) {
        requireHandler(handler);
        List<DurableRequest> sorted = new ArrayList<>(requests);
        sorted.sort(Comparator.comparing(DurableRequest::id));
        int count = sorted.size();
        String[] ids = new String[count];
        byte[][] data = new byte[count][];
        Instant[] times = new Instant[count];
        Instant earliest = Instant.MAX;
        for (int i = 0; i < count; i++) {
            DurableRequest request = sorted.get(i);
            requireName("id", request.id());
            requireTime(request.at());
            ids[i] = request.id();
            data[i] = payloads.write(request.payload());
            times[i] = request.at();
            earliest = request.at().isBefore(earliest) ? request.at() : earliest;
        }
        int inserted = count == 0 ? 0 : database.table().insertAll(handler, ids, data, times);
        if (inserted > 0) {
            claimSoonIfDueBy(earliest);
        }
        return inserted;
    }

    @Override
    public boolean cancel(String handler, String id) {
        requireHandler(handler);
        requireName("id", id);
        return database.table().delete(handler, id);
    }

    @Override
    public boolean reschedule(String handler, String id, Instant at) {
        requireHandler(handler);
        requireName("id", id);
        requireTime(at);
        boolean moved = database.table().move(handler, id, at);
        if (moved) {
            claimSoonIfDueBy(at);
        }
        return moved;
    }

    @Override
    public boolean retry(String handler, String id) {
        requireHandler(handler);
        requireName("id", id);
        Instant now = database.table().now();
        boolean isTried = database.table().retry(handler, id, now);
        if (isTried) {
            claimSoonIfDueBy(now);
        }
        return isTried;
    }

    @Override
    public Optional<DurableTask> find(String handler, String id) {
        requireHandler(handler);
        requireName("id", id);
        return database.table().find(handler, id);
    }

    @Override
    public List<DurableTask> list(
            String handler, DurableTask.@Nullable State state, @Nullable String afterId, int limit) {
        requireHandler(handler);
        if (afterId != null && !afterId.isEmpty()) {
            requireName("afterId", afterId);
        }
        if (limit < 1 || limit > LONGEST_PAGE) {
            throw new IllegalArgumentException("limit must be 1 to 10,000, was " + limit);
        }
        return database.table().list(handler, state, afterId, limit);
    }

    /** Others see a row only when it is committed. */
    private void claimSoonIfDueBy(Instant at) {
        if (!at.isAfter(clock.now().plus(settings.claimAhead()))) {
            claimSoonAfterCommit();
        }
    }

    private void claimSoonAfterCommit() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    claimSoon();
                }
            });
        } else {
            claimSoon();
        }
    }

    /** Recurring tasks have rows of their own. */
    private static void requireHandler(String name) {
        requireName("handler", name);
        if (name.startsWith(Handler.RECURRING)) {
            throw new IllegalArgumentException(
                    "handler must not begin with " + Handler.RECURRING + ", was '" + name + "'");
        }
    }

    private static void requireName(String what, String name) {
        if (name.isEmpty() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(what + " must have 1 to 250 characters, was '" + name + "'");
        }
        // Half of a character would become another id on its way.
        if (name.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException(
                    what + " must be a text without the character 0 and without halves of characters");
        }
    }

    static void requireTime(Instant at) {
        Objects.requireNonNull(at, "at must not be null");
        if (at.isBefore(EARLIEST) || at.isAfter(LATEST)) {
            throw new IllegalArgumentException("at must be in one of the years 1 to 9999, was " + at);
        }
    }

    // Looking

    /** Returns what sees and steers recurring tasks for all nodes. */
    public RecurringTasks recurringTasks() {
        return recurringTasks;
    }

    /** Returns what is in the database, which is asked for it. */
    public DurableOverview overview() {
        return database.table().overview();
    }

    public DurableCounts counts() {
        return tally.read();
    }

    /** Returns why the database does not answer; null if it does. */
    public @Nullable Throwable problem() {
        return availability.problem();
    }

    /** Returns by how much the database's clock may differ from what this node takes it for. */
    public Duration clockError() {
        return clock.error();
    }

    public DurableSettings settings() {
        return settings;
    }
}
