package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.internal.DurationWords.about;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import io.github.wheelscheduler.durable.internal.Context.Tally;
import io.github.wheelscheduler.durable.internal.Database.HeldConnection;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.MaintenanceJobs.Soon;
import io.github.wheelscheduler.durable.internal.NodeLife.Moment;
import io.github.wheelscheduler.durable.internal.NodeTable.Has;
import io.github.wheelscheduler.durable.internal.idle.IdleJobs;
import io.github.wheelscheduler.durable.internal.idle.Needs;
import io.github.wheelscheduler.durable.internal.idle.UndrivenNodes;
import io.github.wheelscheduler.durable.internal.journal.DurableSteering;
import io.github.wheelscheduler.durable.internal.journal.EndNotes;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A node: it connects when the database answers. From then on jobs claim, send heartbeats and look after recurring
 * tasks periodically, until it is closed. Any thread.
 */
public final class DurableNode {

    private static final Duration ASK_CLOCK = Duration.ofSeconds(10);
    private static final Duration KEEP_RECURRING = Duration.ofSeconds(10);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration LEARN = Duration.ofSeconds(2);
    private static final Duration TIDY = Duration.ofMinutes(1);
    private static final long LOOKS_APART_NANOS = 5_000_000;
    private static final long FULL_LOOK_NANOS = 50_000_000;

    final Database database;
    final Context context;

    private final DurableSettings settings;
    private final NodeGroups groups;
    private final DatabaseClock clock;
    private final Availability availability;
    private final ClaimedTasks claimedTasks;
    private final RecurringKeeper recurring;
    private final HandlerCheck handlerCheck;
    private final Notifications notifications;
    private final MaintenanceJobs jobs;
    private final SoonDueRows soonDue;
    private final Closing closing;
    private final DurableSteering steering;

    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private final Soon look;
    private final Soon endAsked;
    private final Soon fullLook;

    /** When a look that was asked for has begun last. */
    private volatile long askedNanos;

    /** Between start and stop. */
    private volatile boolean isRunning;

    private volatile boolean isDraining;

    /** Null until the database has answered for the first time. Writer: who connects. */
    private volatile @Nullable Connected connected;

    /** The incarnations that were there last, in virtual time. Writer: who moves time. */
    private volatile Set<Long> nodesThere = Set.of();

    /** Whether rows that were just read, in virtual time, name no other node. Writer: who moves time. */
    private volatile boolean isAlone;

    /** The ones when recurring tasks were kept last. Writer: who keeps them. */
    private volatile Set<Long> nodesKept = Set.of();

    /** The parts of a node that need the database. */
    record Connected(NodeLife life, Claiming claiming, FairStarts turns, Runs runs, EndWriter endWriter) {}

    /** Makes one that has not started. */
    public DurableNode(
            DurableSettings settings,
            WheelScheduledExecutor executor,
            DataSource dataSource,
            JsonMapper mapper,
            List<PayloadFormat> formats,
            DurableObserver observer) {
        this.settings = Objects.requireNonNull(settings, "settings must not be null");
        Objects.requireNonNull(executor, "executor must not be null");
        Payloads payloads = new Payloads(Objects.requireNonNull(mapper, "mapper must not be null"), formats);
        Objects.requireNonNull(observer, "observer must not be null");
        this.clock = DatabaseClock.of(executor);
        this.database = new Database(dataSource, settings, clock::expression);
        this.groups = NodeGroups.of(executor, settings);
        this.availability = new Availability(executor::nanoTime);
        this.claimedTasks = new ClaimedTasks(
                settings.maxConcurrent(), Claiming.lookEvery(settings).toNanos());
        Handlers handlers = new Handlers(observer);
        this.notifications = new Notifications(settings, database, groups);
        notifications.on(Notifications.LOOK, this::lookIfFree);
        notifications.on(Notifications.END, nothing -> endAskedSoon());
        this.context = new Context(
                settings,
                groups,
                clock,
                handlers,
                payloads,
                observer,
                availability,
                new Tally(),
                claimedTasks,
                notifications,
                new EndListeners(
                        executor,
                        () -> NodeGroups.forListeners(executor),
                        new EndNotes(
                                () -> clock.isKnown() ? clock.now() : executor.wallClockInstant(), executor::nanoTime)),
                this::due);
        this.jobs = new MaintenanceJobs(
                groups.jobs(),
                availability,
                IdleJobs.of(
                        executor,
                        this::incarnation,
                        new UndrivenNodes(settings.heartbeat(), settings.deadAfter()),
                        this::needs,
                        this::beatUnheard));
        this.look = jobs.new Soon(() -> {
            askedNanos = groups.jobs().nanoTime();
            look();
        });
        this.endAsked = jobs.new Soon(() -> connected().claiming().endAsked());
        this.fullLook = jobs.new Soon(this::askForFullLook);
        this.soonDue = new SoonDueRows(this, context);
        this.handlerCheck = new HandlerCheck(
                settings, clock.silence(settings.deadAfter()), database, handlers, executor::nanoTime, jobs);
        this.closing = new Closing(context);
        this.steering = new DurableSteering(database::tables);
        this.recurring = new RecurringKeeper(settings, clock, handlers, this::lookSoon);
    }

    /** Adds a listener for ends from now on. */
    public void listen(DurableListener listener) {
        context.listeners().add(Objects.requireNonNull(listener, "listener must not be null"));
    }

    /** Lets a history have each end from now on; before the node is started. */
    public void note(RunJournal history) {
        // Virtual time is not that of the history.
        context.listeners().notes().use(history, clock.isVirtual() ? null : database.dataSource());
        database.traces.keepCauses();
    }

    /** Returns what tells listeners of steering in Java. */
    public DurableSteering steering() {
        return steering;
    }

    /** Returns whether it runs tasks, in a word. */
    public String state() {
        return !isRunning ? "stopped" : isDraining ? "draining" : "claiming";
    }

    /** Returns the node of an engine. */
    public static DurableNode of(OneTimeTasks engine) {
        return engine.node;
    }

    /** Returns the tables, over connections of the pool. */
    public Tables tables() {
        return database.tables();
    }

    /** Returns whether no node has a handler of that name, as far as nodes say; false if that is not known. */
    public boolean lacks(String handler) {
        return handlerCheck.known().lack(handler);
    }

    /** Returns the handlers of one-time tasks that nodes say they have, as far as this node has heard; its own too. */
    public Set<String> handlersOfNodes() {
        Set<String> names = new TreeSet<>(context.handlers().oneTimeNames());
        handlerCheck.known().words().forEach(word -> names.add(URLDecoder.decode(word, StandardCharsets.UTF_8)));
        return names;
    }

    /**
     * A run that goes on on this node.
     *
     * @param name in the row: the handler, or that of recurring tasks
     * @param handler that runs it here
     * @param forNanos for how long it has been going on
     */
    public record RunHere(String name, String id, String handler, long forNanos) {}

    /** Returns the runs that go on on this node. */
    public List<RunHere> runsHere() {
        return claimedTasks.running(groups.workers().nanoTime());
    }

    /**
     * Returns the trace id of the last run of a recurring task if it has failed on this node; null if it is not known.
     */
    public @Nullable String traceOfFailure(boolean isMade, String id) {
        return database.traces.traceOfFailure(isMade, id);
    }

    public Availability availability() {
        return availability;
    }

    public DurableCounts counts() {
        return context.tally().read(claimedTasks.waiting(), claimedTasks.running());
    }

    /** Returns the handler that holds all workers of this node, longer than usual; null if none does. */
    public @Nullable String holder() {
        return claimedTasks.holder(groups.workers().nanoTime());
    }

    // Its life

    /**
     * Begins to claim and to run tasks, for the first time or again; if the database does not answer, as soon as it
     * does.
     *
     * @throws UnsupportedDatabaseException if the database is none that this works with
     * @throws IllegalStateException if it has been closed
     */
    public void start() {
        if (isClosed.get()) {
            throw new IllegalStateException("A node that has been closed cannot be started again: create another");
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
            availability.isAway(ex, this);
            connectSoon();
        }
    }

    private void connectSoon() {
        try {
            Object ignored = groups.jobs().schedule(this::connectAgain, AGAIN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("The node closed before the database answered");
        }
    }

    private void connectAgain() {
        try {
            connect();
        } catch (Throwable ex) {
            // An error, too: the node is to run in the end.
            availability.isAway(ex, this);
            connectSoon();
        }
    }

    private void connect() {
        Tables tables = database.tables();
        clock.ask(tables.tasks()::now);
        HeldConnection held = database.held();
        NodeLife life = new NodeLife(
                settings,
                held,
                () -> Moment.now(groups.workers()),
                context.listeners(),
                this::mayClaimAtAll,
                () -> Has.of(context.handlers().oneTimeNames(), recurring.schedules()));
        life.join();
        try {
            database.requireSecondConnection();
            begin(tables, life);
            Duration kept = database.longestKept();
            if (!kept.isZero()) {
                jobs.every(kept.dividedBy(2), held::renew, needs -> null);
            }
        } catch (Throwable ex) {
            jobs.endSeries();
            connected = null;
            Closing.leave(life);
            throw ex;
        }
    }

    private void begin(Tables tables, NodeLife life) {
        Runs runs = new Runs(context, tables);
        EndWriter endWriter = new EndWriter(context, tables);
        FairStarts turns = new FairStarts(context, tables, life, runs, endWriter, this::lookSoon);
        connected = new Connected(
                life, new Claiming(context, tables, life, runs, endWriter, turns), turns, runs, endWriter);
        recurring.learn(tables);
        availability.isThere();
        availability.hasWorked(this);
        // Recurring tasks may be added later.
        int handlers = context.handlers().oneTimeNames().size();
        String some = handlers == 0 ? "" : " of " + handlers + (handlers == 1 ? " handler" : " handlers");
        LOGGER.info("Durable tasks" + some + " run on node " + settings.node() + ", which uses "
                + (clock.isVirtual()
                        ? "the virtual time of a test"
                        : "the clock of the database, with an error of at most " + about(clock.error())));
        if (context.handlers().holdConnections()) {
            database.reportFewConnections();
        }
        Runnable beat = clock.isVirtual() ? () -> beatAndKnow(tables) : this::beat;
        jobs.every(groups.heart(), settings.heartbeat(), beat, null);
        jobs.every(Claiming.lookEvery(settings), this::look, Needs::dueAt);
        jobs.every(
                KEEP_RECURRING,
                () -> {
                    nodesKept = nodesThere;
                    recurring.keep(tables, life::sayHas);
                },
                Needs::recurringAt);
        jobs.every(AGAIN, () -> recurring.plant(tables, life::sayHas), Needs::unplantedAt);
        jobs.every(LEARN, () -> recurring.learn(tables), Needs::learnAt);
        jobs.every(TIDY, () -> tables.tasks().tidy(settings.keepFailed()), Needs::tidyAt);
        jobs.every(
                settings.heartbeat(),
                () -> connected().claiming().claimUnreadable(this::mayClaim),
                Needs::unreadableAt);
        jobs.every(settings.deadAfter(), () -> connected().claiming().giveBackUnknown(), Needs::unknownAt);
        jobs.every(
                ASK_CLOCK,
                () -> {
                    clock.ask(tables.tasks()::now);
                    availability.isThere();
                },
                needs -> null);
        notifications.listen();
    }

    /** Returns which incarnation this is; 0 before the database has answered. */
    long incarnation() {
        Connected node = connected;
        return node == null ? 0 : node.life().incarnation();
    }

    /**
     * Returns when rows need this node next, in virtual time.
     *
     * @param isFull whether to ask also while it has claimed tasks
     */
    private Needs needs(IdleJobs idleJobs, Instant now, boolean isFull) {
        isAlone = false;
        Connected node = connected();
        node.claiming().expect(null);
        boolean isUntold = node.endWriter().untold() > 0 || node.claiming().hasAsked();
        if (isUntold || (!isFull && claimedTasks.waiting() + claimedTasks.running() > 0)) {
            return isUntold ? Needs.UNKNOWN : Needs.IN_HAND;
        }
        boolean mayClaim = mayClaim();
        Handlers handlers = context.handlers();
        List<String> recurringIds = handlers.plantedIds();
        try {
            IdleRows.Answer answer;
            do {
                IdleRows.Moment moment = new IdleRows.Moment(
                        now,
                        node.life().incarnation(),
                        idleJobs.driven(),
                        nodesKept,
                        mayClaim ? handlers.oneTimeNames() : List.of(),
                        mayClaim ? recurringIds : List.of(),
                        recurring.knownIds(),
                        recurringIds.size() == handlers.recurring().size(),
                        handlers.areMade,
                        node.claiming().isSwept());
                answer = node.life().ask(tables -> IdleRows.ask(tables, settings, moment));
            } while (idleJobs.undriven().mayLive(answer.undriven()));
            nodesThere = answer.nodes();
            isAlone = answer.needs().mayJump()
                    && answer.needs().freeAt() == null
                    && idleJobs.driven().equals(Set.of(node.life().incarnation()));
            node.claiming().expect(isAlone ? answer.next() : null);
            return answer.needs();
        } catch (DataAccessException ex) {
            availability.isAway(ex, idleJobs);
            return Needs.UNKNOWN;
        }
    }

    /** Beats in virtual time without a statement, as the rows name no other node; false if there is more to say. */
    private boolean beatUnheard() {
        Connected node = connected;
        return isAlone
                && node != null
                && !node.claiming().hasAsked()
                && !recurring.isToSayKnown()
                && node.life().beatUnheard();
    }

    /**
     * Claims nothing more, gives back what has not started, and runs on, as before a rolling restart; or claims again.
     */
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
            jobs.submit(node.life()::tell);
        }
    }

    /**
     * Claims nothing more, gives back what has not started, waits for runs, and interrupts what still runs at the
     * limit.
     */
    public void stop() {
        if (isRunning) {
            isRunning = false;
            closing.stop(connected);
        }
    }

    /** The same for good: the groups are shut down. */
    public void close() {
        stop();
        if (isClosed.compareAndSet(false, true)) {
            closing.close(() -> connected);
        }
    }

    // Looking

    private Connected connected() {
        Connected node = connected;
        if (node == null) {
            throw new IllegalStateException("The node must be connected to its database first");
        }
        return node;
    }

    private void look() {
        int promisedBefore = soonDue.promised.get();
        try {
            EndWriter endWriter = connected().endWriter();
            if (endWriter.isLeft()) {
                // On another thread: who sends may have to send for long.
                jobs.submit(endWriter::send);
            }
            connected().claiming().look(this::mayClaim);
        } finally {
            // Looks may overlap.
            int ignored = soonDue.promised.updateAndGet(now -> Math.max(0, now - promisedBefore));
        }
    }

    boolean mayClaim() {
        return connected != null && mayClaimAtAll() && groups.mayRunTasks();
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

    /**
     * As another node has said that something is due, which it does not start. One without a free worker leaves it to
     * others.
     */
    private void lookIfFree(String age) {
        Connected node = connected;
        if (node != null && mayClaim() && claimedTasks.running() < settings.maxConcurrent()) {
            if (age.equals(Notifications.OLD)) {
                node.claiming().lookAtAll();
            }
            // However many are told of one by one.
            lookIn(Math.max(0, askedNanos + LOOKS_APART_NANOS - groups.jobs().nanoTime()));
        }
    }

    /** Lets the next look of other nodes, and perhaps of this one, be at all that waits. */
    void lookAtAllSoon(boolean hereToo) {
        Connected node = connected;
        if (node != null) {
            fullLook.in(FULL_LOOK_NANOS);
            if (hereToo) {
                node.claiming().lookAtAll();
            }
        }
    }

    private void askForFullLook() {
        boolean ignored =
                database.tables().nodes().askForFullLook(connected().life().incarnation());
    }

    /**
     * Returns the time by the database's clock; by that of this machine on a node that has never started, whose hints
     * may be wrong.
     */
    public Instant now() {
        return connected != null ? clock.now() : groups.executor().wallClockInstant();
    }

    /** Sees to it that rows start in time, as {@link SoonDueRows#due} says. */
    public void due(String name, List<Instant> times) {
        soonDue.due(name, times);
    }

    /** In virtual time all nodes beat before the first one forgets, also after a time in which none of them ran. */
    private void beatAndKnow(Tables tables) {
        beat();
        recurring.sayKnown(tables);
    }

    private void beat() {
        Connected node = connected();
        NodeLife.Beat beat = node.life().beat(isAlone);
        if (node.claiming().isLookingFor(settings.deadAfter())) {
            availability.isAway(new QueryTimeoutException("A poll for due durable tasks has not ended for "
                    + exactly(settings.deadAfter()) + ": it waits for the pool of connections, or for the database"));
        }
        if (beat.wasDead()) {
            node.claiming().dropWaiting();
        }
        if (beat.freed() > 0) {
            LOGGER.info(beat.freed() + " durable tasks of dead nodes can be claimed again");
            long unused = context.tally().takenOver.addAndGet(beat.freed());
            lookSoon();
            notifications.tell(Notifications.LOOK, Notifications.OLD);
        }
        if (beat.isAsked() || node.claiming().hasAsked()) {
            endAskedSoon();
        }
        node.turns().mend();
        if (!beat.nodes().isEmpty()) {
            handlerCheck.learn(beat.nodes(), clock.now(), node.life()::handlersOf);
        }
    }

    /** Returns what is in the database. */
    public DurableOverview overview() {
        return database.tables().overview(handlerCheck.known(), clock.silence(settings.deadAfter()));
    }

    /**
     * Is called before a task is scheduled.
     *
     * @throws IllegalArgumentException if no node has that handler, and that is to fail
     */
    void requireKnown(String handler) {
        handlerCheck.require(handler);
    }

    /** Lets the node end its run at once that has been asked to. Any thread. */
    void tellToEnd() {
        endAskedSoon();
        notifications.tell(Notifications.END, "");
    }

    /** Ends what this node has been asked to end. Any thread. */
    private void endAskedSoon() {
        if (connected != null) {
            endAsked.in(LOOKS_APART_NANOS);
        }
    }

    // Recurring tasks

    /** Whether a method has that id, on this node or on another. */
    boolean isDeclared(String id) {
        return recurring.has(id) || database.tables().declared().isThere(id);
    }

    /** Keeps the row of a recurring task that this node does not run. */
    public void know(String id) {
        recurring.know(id);
    }

    /** Runs a body repeatedly, each time on one of the nodes that call this; the result ends it on this node. */
    public Runnable repeat(String id, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        Runnable end = recurring.repeat(id, recurrence, skipsMissed, body);
        if (connected != null) {
            jobs.submit(() -> recurring.plant(database.tables(), connected().life()::sayHas));
        }
        return end;
    }
}
