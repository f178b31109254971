package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import io.github.wheelscheduler.durable.internal.Claiming.LowWater;
import io.github.wheelscheduler.durable.internal.Database.DatabaseClock;
import io.github.wheelscheduler.durable.internal.Database.HeldConnection;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.NodeLife.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A node: it connects when the database answers, and from then on keepers claim, say that it lives, and look after recurring tasks, again and again, until it is closed.
 * Any thread.
 */
public final class DurableNode {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final Duration ASK_CLOCK = Duration.ofSeconds(10);
    private static final Duration KEEP_RECURRING = Duration.ofSeconds(10);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration TIDY = Duration.ofMinutes(1);
    private static final int TIDIED_AT_ONCE = 1_000;

    /** Once for runs that have been interrupted, for what the database is still to be told, and for the node's row. */
    private static final long LAST_MILLIS = 500;

    private static final long PAUSE_NANOS = 2_000_000;
    private static final long TOLD_NANOS = 2_000_000_000;
    private static final long LOOKS_APART_NANOS = 5_000_000;
    private static final long FULL_LOOK_NANOS = 50_000_000;

    private final DurableSettings settings;
    private final NodeGroups groups;
    private final Database database;
    private final DatabaseClock clock;
    private final Context context;
    private final Availability availability;
    private final Tally tally;
    private final InHand inHand;
    private final RecurringKeeper recurring;
    private final Nudges nudges;

    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private final Soon look = new Soon(this::lookAsked);
    private final Soon endAsked = new Soon(this::endAsked);
    private final Soon fullLook = new Soon(this::askForFullLook);

    /** How many rows that are due are left to this node, and not looked for yet. */
    private final AtomicInteger promised = new AtomicInteger();

    /** When a look that was asked for has begun last. */
    private volatile long askedNanos;

    /** Between start and stop. */
    private volatile boolean isRunning;

    private volatile boolean isDraining;

    /** When it was stopped, on the executor's clock: what closing may take counts from then. */
    private volatile long stoppedNanos;

    /** What keepers do again and again. Writer: who connects. */
    private final List<Future<?>> series = new CopyOnWriteArrayList<>();

    /** Null until the database has answered for the first time. Writer: who connects. */
    private volatile @Nullable Connected connected;

    /** What a node has from the beginning. Its parts may be used by any thread. */
    record Context(
            DurableSettings settings,
            NodeGroups groups,
            DatabaseClock clock,
            Handlers handlers,
            Payloads payloads,
            DurableObserver observer,
            Availability availability,
            Tally tally,
            InHand inHand,
            Nudges nudges,
            Announcer announcer) {}

    /** Counts what becomes of rows on this node. Any thread. */
    static final class Tally {

        final AtomicLong claimed = new AtomicLong();
        final AtomicLong succeeded = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong givenUp = new AtomicLong();
        final AtomicLong takenOver = new AtomicLong();
        final AtomicLong lost = new AtomicLong();
        final AtomicLong givenBack = new AtomicLong();
        final AtomicLong unreadable = new AtomicLong();

        DurableCounts read(int waiting, int running) {
            return new DurableCounts(
                    waiting,
                    running,
                    claimed.get(),
                    succeeded.get(),
                    failed.get(),
                    givenUp.get(),
                    takenOver.get(),
                    lost.get(),
                    givenBack.get(),
                    unreadable.get());
        }
    }

    /** Says that rows are due, as {@link #due} does. */
    interface Announcer {
        void due(String name, List<Instant> times);
    }

    /** What a node works with when the database has answered. */
    private record Connected(NodeLife life, Claiming claiming, Runs runs, Ends ends) {}

    public DurableNode(
            DurableSettings settings,
            WheelScheduledExecutor executor,
            Database database,
            DatabaseClock clock,
            Handlers handlers,
            Payloads payloads,
            DurableObserver observer) {
        this.settings = settings;
        this.groups = NodeGroups.of(executor, settings);
        this.database = database;
        this.clock = clock;
        this.availability = new Availability(executor::nanoTime);
        this.tally = new Tally();
        this.inHand = new InHand(
                settings.maxConcurrent(), Claiming.lookEvery(settings).toNanos());
        this.nudges = new Nudges(settings, database, groups);
        nudges.on(Nudges.LOOK, this::lookIfFree);
        nudges.on(Nudges.END, nothing -> endAskedSoon());
        this.context = new Context(
                settings, groups, clock, handlers, payloads, observer, availability, tally, inHand, nudges, this::due);
        this.recurring = new RecurringKeeper(settings, clock, handlers, this::lookSoon);
    }

    public Availability availability() {
        return availability;
    }

    public DurableCounts counts() {
        return tally.read(inHand.waiting(), inHand.running());
    }

    /** Returns the handler that holds all workers of this node, longer than usual; null if none does. */
    public @Nullable String holder() {
        return inHand.holder(groups.workers().nanoTime());
    }

    // Its life

    /**
     * Begins to claim and to run tasks, for the first time or again; if the database does not answer, as soon as it does.
     *
     * @throws UnsupportedDatabaseException if the database is none that this works with
     * @throws IllegalStateException if it has been closed
     */
    public void start() {
        if (isClosed.get()) {
            throw new IllegalStateException("A node that has been closed cannot be started");
        }
        isRunning = true;
        Connected node = connected;
        if (node != null) {
            node.runs().mayRun();
        }
        if (isStarted.compareAndSet(false, true)) {
            try {
                connectNowOrSoon();
            } catch (Throwable ex) {
                isStarted.set(false);
                throw ex;
            }
        } else {
            tellWhetherItClaims();
            lookSoon();
        }
    }

    private void connectNowOrSoon() {
        try {
            connect();
        } catch (DataAccessException ex) {
            availability.isAway(ex);
            connectSoon();
        }
    }

    private void connectSoon() {
        try {
            Object ignored = groups.keepers().schedule(this::connectAgain, AGAIN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Closed before the database has answered");
        }
    }

    private void connectAgain() {
        try {
            connect();
        } catch (Throwable ex) {
            // An error, too: the node is to run in the end.
            availability.isAway(ex);
            connectSoon();
        }
    }

    private void connect() {
        Tables tables = database.tables();
        clock.ask(tables.tasks()::now);
        HeldConnection held = database.held();
        NodeLife life = new NodeLife(settings, held, () -> Moment.now(groups.workers()), this::mayClaimAtAll);
        life.join();
        try {
            requireSecondConnection(tables);
            begin(tables, life);
            Duration kept = database.longestKept();
            if (!kept.isZero()) {
                every(groups.keepers(), kept.dividedBy(2), held::renew);
            }
        } catch (Throwable ex) {
            for (Future<?> begun : series) {
                boolean ignored = begun.cancel(false);
            }
            series.clear();
            connected = null;
            leave(life);
            throw ex;
        }
    }

    private void begin(Tables tables, NodeLife life) {
        Runs runs = new Runs(context, tables);
        Ends ends = new Ends(context, tables);
        connected = new Connected(life, new Claiming(context, tables, life, runs, ends, this::lookSoon), runs, ends);
        availability.isThere();
        LOGGER.info("Durable tasks of " + context.handlers().size() + " handlers run on node " + settings.node()
                + ", whose clock is known to " + clock.error());
        if (context.handlers().holdConnections()) {
            database.reportFewConnections();
        }
        every(groups.heart(), settings.heartbeat(), this::beat);
        every(groups.keepers(), Claiming.lookEvery(settings), this::look);
        every(groups.keepers(), KEEP_RECURRING, this::keepRecurring);
        every(groups.keepers(), AGAIN, this::plantRecurring);
        every(groups.keepers(), TIDY, this::tidy);
        every(groups.keepers(), settings.heartbeat(), this::tryUnreadable);
        every(groups.keepers(), settings.deadAfter(), this::giveBackUnknown);
        every(groups.keepers(), ASK_CLOCK, () -> {
            clock.ask(tables.tasks()::now);
            availability.isThere();
        });
        nudges.listen();
    }

    /** The first one is kept for heartbeats from now on. A pool that says how large it is has been asked before. */
    private static void requireSecondConnection(Tables tables) {
        try {
            Instant ignored = tables.tasks().now();
        } catch (CannotGetJdbcConnectionException ex) {
            throw new DataAccessResourceFailureException(
                    "The pool of connections must have one for durable tasks beside the one that heartbeats keep, but has none that is free",
                    ex);
        }
    }

    /** Claims nothing more, gives back what has not started, and runs on, as before a rolling restart; or claims again. */
    public void drain(boolean does) {
        isDraining = does;
        tellWhetherItClaims();
        lookSoon();
    }

    public boolean isDraining() {
        return isDraining;
    }

    private void tellWhetherItClaims() {
        Connected node = connected;
        if (node != null) {
            try {
                Object ignored = groups.keepers().submit(() -> guarded(node.life()::tell));
            } catch (RejectedExecutionException ex) {
                LOGGER.debug("Closed already");
            }
        }
    }

    /** Claims nothing more, gives back what has not started, waits for runs, and interrupts what still runs at the limit. */
    public void stop() {
        if (isRunning) {
            isRunning = false;
            stoppedNanos = groups.executor().nanoTime();
            giveBackAndAwaitRuns();
        }
    }

    /** The same for good: the groups are shut down. */
    public void close() {
        stop();
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        try {
            if (groups.ownsWorkers()) {
                List<Runnable> ignored = groups.workers().shutdownNow();
            }
            nudges.deafen();
            // What the database is still to be told goes on until then.
            groups.keepers().shutdown();
            if (!groups.keepers().awaitTermination(LAST_MILLIS, TimeUnit.MILLISECONDS)) {
                LOGGER.warn("The database has not been told of all that this node has done; that is found out after "
                        + settings.deadAfter());
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        nudges.close();
        List<Runnable> ignored = groups.keepers().shutdownNow();
        leaveSoon();
    }

    /** Where heartbeats are sent, as one may be under way, and for no longer than the database needs for a statement. */
    private void leaveSoon() {
        Connected node = connected;
        try {
            if (node != null) {
                groups.heart().submit(() -> leave(node.life())).get(LAST_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.debug("The node's row stays, and is found dead", ex);
        }
        List<Runnable> ignored = groups.heart().shutdownNow();
    }

    private static void leave(NodeLife life) {
        try {
            life.leave();
        } catch (RuntimeException ex) {
            LOGGER.debug("The node's row stays, and is found dead", ex);
        }
    }

    private void giveBackAndAwaitRuns() {
        Connected node = connected;
        if (node == null) {
            return;
        }
        try {
            // On another thread: the database may not answer.
            groups.keepers()
                    .submit(() -> {
                        node.life().tell();
                        node.claiming().giveBackWaiting();
                    })
                    .get(Math.max(1, leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.warn(
                    "What was claimed could not be given back, and is found dead after " + settings.deadAfter(), ex);
        }
        if (!awaitRuns(node, 0)) {
            LOGGER.warn(inHand.running() + " durable tasks still run after " + settings.closeLimit()
                    + ", and are interrupted");
            node.runs().interruptAll();
            if (!awaitRuns(node, TimeUnit.MILLISECONDS.toNanos(LAST_MILLIS))) {
                LOGGER.warn("Durable tasks that ignore their interrupt run on: " + inHand.runningTasks()
                        + "; other nodes run them again after " + settings.deadAfter());
            }
        }
    }

    /** Waits for runs, and until the database knows how they have ended if it answers, until the limit of closing and for so much longer. */
    private boolean awaitRuns(Connected node, long moreNanos) {
        while ((inHand.running() > 0 || node.ends().isSending() || mayBeTold(node.ends()))
                && leftNanos() + moreNanos > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return inHand.running() == 0;
    }

    /** What waits for the database, or for a lock, has two seconds, and half of the limit at most. */
    private boolean mayBeTold(Ends ends) {
        long limitNanos = settings.closeLimit().toNanos();
        return ends.untold() > 0 && leftNanos() > Math.max(limitNanos / 2, limitNanos - TOLD_NANOS);
    }

    private long leftNanos() {
        return settings.closeLimit().toNanos() - (groups.executor().nanoTime() - stoppedNanos);
    }

    // Again and again

    private void every(WheelScheduledExecutor group, Duration pause, Runnable step) {
        boolean ignored =
                series.add(group.scheduleWithFixedDelay(() -> guarded(step), 0, pause.toNanos(), TimeUnit.NANOSECONDS));
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable ex) {
            // An error, too: it must not end the series.
            note(ex);
        }
    }

    private void note(Throwable ex) {
        try {
            if (Availability.isOfDatabase(ex)) {
                availability.isAway(ex);
            } else {
                LOGGER.error("Keeping durable tasks has failed, and goes on", ex);
            }
        } catch (Throwable again) {
            // There may be no memory for words.
        }
    }

    private Connected connected() {
        Connected node = connected;
        if (node == null) {
            throw new IllegalStateException("must be connected");
        }
        return node;
    }

    private void look() {
        int promisedBefore = promised.get();
        try {
            sendEnds(connected().ends());
            connected().claiming().look(this::mayClaim);
        } finally {
            // Looks may overlap.
            int ignored = promised.updateAndGet(now -> Math.max(0, now - promisedBefore));
        }
    }

    /** On another thread: who sends may have to send for long. */
    private void sendEnds(Ends ends) {
        if (ends.isLeft()) {
            Object ignored = groups.keepers().submit(() -> guarded(ends::send));
        }
    }

    private boolean mayClaim() {
        return mayClaimAtAll() && groups.mayRunTasks();
    }

    private boolean mayClaimAtAll() {
        return isRunning && !isDraining && !isClosed.get();
    }

    /** Looks for rows that are due soon without waiting for the next time. Any thread. */
    void lookSoon() {
        lookIn(0);
    }

    private void lookIn(long nanos) {
        if (connected != null && !isClosed.get()) {
            look.in(nanos);
        }
    }

    private void lookAsked() {
        askedNanos = groups.keepers().nanoTime();
        look();
    }

    /** As another node has said that something is due, which it does not start. One without a free worker leaves it to others. */
    private void lookIfFree(String age) {
        Connected node = connected;
        if (node != null && mayClaim() && inHand.running() < settings.maxConcurrent()) {
            if (age.equals(Nudges.OLD)) {
                node.claiming().lookAtAll();
            }
            // However many are told of one by one.
            lookIn(Math.max(0, askedNanos + LOOKS_APART_NANOS - groups.keepers().nanoTime()));
        }
    }

    /** Returns the time by the database's clock; by that of this machine on a node that has never started, whose hints may be wrong. */
    public Instant now() {
        return connected != null ? clock.now() : groups.executor().wallClockInstant();
    }

    /**
     * Sees to it that rows start in time, once the transaction that the caller is in has committed, or now if there is none: this node looks for what is due soon, and tells others of what is
     * due before their next look and not started here. Any thread.
     *
     * @param name of the handler, as this node knows it
     * @param times when they are due
     */
    public void due(String name, List<Instant> times) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            new AfterCommit().add(name, times).run();
        } else if (TransactionSynchronizationManager.getResource(this) instanceof AfterCommit known) {
            known.add(name, times);
        } else {
            AfterCommit made = new AfterCommit().add(name, times);
            made.resume();
            TransactionSynchronizationManager.registerSynchronization(made);
        }
    }

    /** What is due of a handler: how many soon after it was said, and the earliest of all. */
    private record Due(int soon, Instant earliest) {

        private Due with(Due other) {
            return new Due(soon + other.soon, earliest.isBefore(other.earliest) ? earliest : other.earliest);
        }
    }

    /** What a transaction has scheduled. One thread. */
    private final class AfterCommit implements TransactionSynchronization {

        private final Map<String, Due> byName = new HashMap<>();

        private AfterCommit add(String name, List<Instant> times) {
            Instant soon = now().plus(Claiming.lookEvery(settings));
            for (Instant time : times) {
                byName.merge(name, new Due(time.isAfter(soon) ? 0 : 1, time), Due::with);
            }
            return this;
        }

        private void run() {
            Instant now = now();
            byName.forEach((name, due) -> {
                boolean isKnown = context.handlers().find(name) != null;
                boolean isOld = due.earliest().isBefore(now.minus(LowWater.SLACK));
                Connected node = connected;
                if (node != null && isOld) {
                    fullLook.in(FULL_LOOK_NANOS);
                    if (isKnown) {
                        node.claiming().lookAtAll();
                    }
                }
                if (isKnown && !due.earliest().isAfter(now.plus(settings.claimAhead()))) {
                    lookSoon();
                }
                if (!due.earliest().isAfter(now.plus(Claiming.lookEvery(settings)))
                        && !(isKnown && promises(name, Math.max(1, due.soon()), now))) {
                    nudges.tell(Nudges.LOOK, isOld ? Nudges.OLD : "");
                }
            });
        }

        /** Whether this node starts that many. */
        private boolean promises(String name, int count, Instant now) {
            return connected != null
                    && mayClaim()
                    && inHand.free(name, now, groups.workers().nanoTime()) >= promised.addAndGet(count);
        }

        @Override
        public void suspend() {
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(DurableNode.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(DurableNode.this, this);
        }

        @Override
        public void afterCompletion(int status) {
            suspend();
            // One that is registered while others are told of the commit is told only of this.
            if (status != STATUS_ROLLED_BACK) {
                run();
            }
        }
    }

    private void beat() {
        Connected node = connected();
        NodeLife.Beat beat = node.life().beat();
        if (node.claiming().isLookingFor(settings.deadAfter())) {
            availability.isAway(new QueryTimeoutException("A look for durable tasks that are due has gone on for "
                    + settings.deadAfter() + ": it waits for the pool of connections, or for the database"));
        }
        if (beat.wasDead()) {
            node.claiming().dropWaiting();
        }
        if (beat.freed() > 0) {
            LOGGER.info(beat.freed() + " durable tasks of nodes that are not heard of any more can be claimed again");
            long unused = tally.takenOver.addAndGet(beat.freed());
            lookSoon();
            nudges.tell(Nudges.LOOK, Nudges.OLD);
        }
        if (beat.isAsked() || node.claiming().hasAsked()) {
            endAskedSoon();
        }
        node.claiming().mendTurns();
    }

    /** Lets the node end its run at once that has been asked to. Any thread. */
    void tellToEnd() {
        endAskedSoon();
        nudges.tell(Nudges.END, "");
    }

    /** Ends what this node has been asked to end. Any thread. */
    void endAskedSoon() {
        if (connected != null) {
            endAsked.in(LOOKS_APART_NANOS);
        }
    }

    private void endAsked() {
        connected().claiming().endAsked();
    }

    private void askForFullLook() {
        boolean ignored =
                database.tables().nodes().askForFullLook(connected().life().incarnation());
    }

    /** Something that a keeper does, which may wait for the pool: once, however often it is asked for until then. Any thread. */
    private final class Soon {

        private final AtomicBoolean isAsked = new AtomicBoolean();
        private final Runnable step;

        Soon(Runnable step) {
            this.step = step;
        }

        void in(long nanos) {
            if (isAsked.compareAndSet(false, true)) {
                try {
                    Object ignored = groups.keepers().schedule(this::run, nanos, TimeUnit.NANOSECONDS);
                } catch (Throwable ex) {
                    // An error, too: the next look, or the next heartbeat, finds it, and it may be asked for again.
                    isAsked.set(false);
                    if (!(ex instanceof RejectedExecutionException)) {
                        note(ex);
                    }
                }
            }
        }

        private void run() {
            isAsked.set(false);
            guarded(step);
        }
    }

    private void tryUnreadable() {
        connected().claiming().claimUnreadable(this::mayClaim);
    }

    private void giveBackUnknown() {
        connected().claiming().giveBackUnknown();
    }

    // Recurring tasks

    /** Runs something again and again, once for all nodes that do; returns what ends it on this node. */
    public Runnable repeat(String id, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        Runnable end = recurring.repeat(id, recurrence, skipsMissed, body);
        if (connected != null) {
            try {
                Object ignored = groups.keepers().submit(() -> guarded(this::plantRecurring));
            } catch (RejectedExecutionException ex) {
                LOGGER.debug("Closed before the row of " + id + " was made");
            }
        }
        return end;
    }

    /** Deletes what nobody wants any more. */
    private void tidy() {
        TaskTable tasks = database.tables().tasks();
        int ignored = tasks.deleteEnded();
        Duration keepFailed = settings.keepFailed();
        while (keepFailed != null && tasks.deleteFailed(keepFailed, TIDIED_AT_ONCE) == TIDIED_AT_ONCE) {
            LOGGER.debug("More to delete that has failed long ago");
        }
    }

    private synchronized void plantRecurring() {
        recurring.plant(database.tables());
    }

    private synchronized void keepRecurring() {
        recurring.plant(database.tables());
        int gone = recurring.keep(database.tables());
        if (gone > 0) {
            LOGGER.info(gone + " recurring durable tasks were known by no node for " + settings.forgetAfter()
                    + ", and are forgotten");
        }
    }
}
