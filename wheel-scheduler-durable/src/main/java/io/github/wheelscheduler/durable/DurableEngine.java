package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.OneTimeTasks;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * A node that schedules and runs durable tasks: their rows are in a database; the wheel of an executor knows
 * when they are due. A node claims rows a second before that, so that none waits for a statement when its time comes.
 *
 * <p>It has three groups of the executor: {@code durable} runs tasks; {@code durable-keeper} and {@code durable-heart}
 * talk with the database, and are not held up by pause or halt. While the executor is paused or halted, nothing is
 * claimed, and what has not started is given back. All methods may be called from any thread.
 */
public final class DurableEngine extends OneTimeTasks implements AutoCloseable {

    /** The group that runs durable tasks. */
    public static final String GROUP = "durable";

    private final RecurringTasks recurringTasks;

    /**
     * Makes a node that has not started.
     *
     * @param executor on whose wheel the tasks are; no group, and not shut down with this
     * @param dataSource where the table is; transactions of Spring's on it are taken part in
     * @param mapper writes and reads payloads, which do not say that they are its; what it reads must not change
     * @param observer receives starts and ends of runs
     */
    public DurableEngine(
            DurableSettings settings,
            WheelScheduledExecutor executor,
            DataSource dataSource,
            JsonMapper mapper,
            DurableObserver observer) {
        this(settings, executor, dataSource, mapper, List.of(), observer);
    }

    /**
     * The same with payloads that say what format they have.
     *
     * @param mapper reads payloads that do not say it, as those of nodes before layout 2 and of other programs
     * @param formats the first writes payloads, and all are read; none for what {@code mapper} writes
     * @throws IllegalArgumentException if two have one name
     */
    public DurableEngine(
            DurableSettings settings,
            WheelScheduledExecutor executor,
            DataSource dataSource,
            JsonMapper mapper,
            List<PayloadFormat> formats,
            DurableObserver observer) {
        super(new DurableNode(settings, executor, dataSource, mapper, formats, observer));
        this.recurringTasks = new RecurringTasks(database, handlers, node);
    }

    /**
     * Sets how runs are observed, as {@code wheel.scheduler.execution}; before it is {@linkplain #start started}. All
     * handlers have names; methods with {@link Durable} are observed by Spring alone.
     *
     * @param runObservation null, the default, for not at all
     * @param ofHandlers whether runs of single handlers are observed, in place of {@link WheelRunObservation#which()}
     */
    public void setRunObservation(@Nullable WheelRunObservation runObservation, Map<String, Boolean> ofHandlers) {
        database.traces.observe(runObservation, ofHandlers);
    }

    /**
     * Registers the handler for the tasks of a name on this node. A node claims no task that it has no handler for.
     *
     * @param name the name by which tasks are scheduled, 1 to 250 characters
     * @param payloadType the type that their payload is read as
     * @throws IllegalStateException if there is one of that name
     */
    public <T> void handle(String name, Class<T> payloadType, RetryPolicy retries, TaskBody<? super T> body) {
        handle(name, (Type) payloadType, retries, body);
    }

    /** The same for a payload of any type, such as a list of something. */
    public void handle(String name, Type payloadType, RetryPolicy retries, TaskBody<?> body) {
        handle(name, payloadType, retries, Integer.MAX_VALUE, null, (payload, run) -> run(body, payload));
    }

    /**
     * The same for a body that knows of its runs, with bounds.
     *
     * @param maxConcurrent the maximum number of its concurrent runs on this node, at least 1
     * @param timeLimit the time after which a run is interrupted, which then has failed unless it ends as if nothing
     *     had been, at least 1 ms; null for never
     */
    public void handle(
            String name,
            Type payloadType,
            RetryPolicy retries,
            int maxConcurrent,
            @Nullable Duration timeLimit,
            DurableBody<?> body) {
        handle(name, payloadType, retries, maxConcurrent, timeLimit, null, body);
    }

    /**
     * The same for a body that runs in a transaction, in which its task ends as well: what it has done is there if its
     * task has ended well, and only then. A run fails if it throws, or if its transaction is marked for rollback. A run
     * holds one connection. A transaction that the body begins itself, as with {@code REQUIRES_NEW}, is another one.
     *
     * @param transactions begins transactions on the data source of this engine; those of JTA must reach it. If it does
     *     not, each run fails. Null for none
     */
    public void handle(
            String name,
            Type payloadType,
            RetryPolicy retries,
            int maxConcurrent,
            @Nullable Duration timeLimit,
            @Nullable PlatformTransactionManager transactions,
            DurableBody<?> body) {
        Objects.requireNonNull(body, "body must not be null");
        decide(name, payloadType, retries, maxConcurrent, timeLimit, transactions, (payload, run) -> {
            run(body, payload, run);
            return DurableOutcome.done();
        });
    }

    /**
     * The same for a body that says what becomes of its task.
     *
     * @param transactions as above; null for none
     */
    public void decide(
            String name,
            Type payloadType,
            RetryPolicy retries,
            int maxConcurrent,
            @Nullable Duration timeLimit,
            @Nullable PlatformTransactionManager transactions,
            DecidingBody<?> body) {
        Arguments.requireLimits(maxConcurrent, timeLimit);
        Arguments.requireNewHandler(name);
        Objects.requireNonNull(payloadType, "payloadType must not be null");
        Objects.requireNonNull(retries, "retries must not be null");
        Objects.requireNonNull(body, "body must not be null");
        handlers.add(
                new Handler<>(name, payloadType, retries, maxConcurrent, timeLimit, transactions, body, null, false));
    }

    @SuppressWarnings("unchecked") // what is read as the type of the handler is of that type
    private static <T> void run(TaskBody<T> body, @Nullable Object payload) throws Exception {
        body.run((T) payload);
    }

    @SuppressWarnings("unchecked") // as above
    private static <T> void run(DurableBody<T> body, @Nullable Object payload, DurableRun run) throws Exception {
        body.run((T) payload, run);
    }

    /**
     * Runs a body repeatedly, each time on one of the nodes that call this. Its row is made when the database answers,
     * unless it is there; if it is there with another schedule, it gets this one. A node that has not been {@linkplain
     * #start started} does neither.
     *
     * @param id its id in the database, 1 to 200 characters
     * @param skipsMissed whether a run that is more than ten seconds late is left out
     * @return ends it on this node, and leaves its row to others
     * @throws IllegalStateException if there is one of that id
     */
    public Runnable repeat(String id, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        return node.repeat(id, recurrence, skipsMissed, body);
    }

    /**
     * Keeps the row of a recurring task that other nodes run: it is not forgotten while this node lives.
     *
     * @param id its id in the database, 1 to 200 characters
     */
    public void know(String id) {
        node.know(id);
    }

    /**
     * Adds a listener for the ends that happen on this node from now on. Listeners run in a group of the executor,
     * {@code durable-listener}; {@link #close} waits half a second for the ends that are left.
     */
    public void listen(DurableListener listener) {
        node.listen(listener);
    }

    /**
     * Reports calls that steer tasks or this node, and were {@linkplain SteeredBy given a name}, to the listener from
     * now on, once their transaction is committed; refused ones, too.
     */
    public void addSteeringListener(SteeringListener listener) {
        node.steering().add(listener);
    }

    /** Tells the listener of steering nothing more. */
    public void removeSteeringListener(SteeringListener listener) {
        node.steering().remove(listener);
    }

    // Its life

    /**
     * Begins to claim and to run tasks; if the database does not answer, as soon as it does. Also after {@link #stop}.
     *
     * @throws UnsupportedDatabaseException if the database is none that this works with
     * @throws IllegalStateException if this has been closed
     */
    public void start() {
        node.steering().ofNode("start", node::state, node::start);
    }

    /**
     * Releases claimed tasks that have not started, claims none until it is started again, and waits for current runs,
     * at most for the close limit of the settings. Runs that still continue are interrupted, and their tasks are
     * released if they fail because of that.
     */
    public void stop() {
        node.steering().ofNode("stop", node::state, node::stop);
    }

    /**
     * Claims nothing more and gives back what has not started, while runs go on: before this node is replaced. {@link
     * #endDrain} takes it back.
     */
    public void drain() {
        node.steering().ofNode("drain", node::state, () -> node.drain(true));
    }

    /** Claims again after {@link #drain}. */
    public void endDrain() {
        node.steering().ofNode("resume", node::state, () -> node.drain(false));
    }

    /** Whether it has been {@linkplain #drain drained}. */
    public boolean isDraining() {
        return node.isDraining();
    }

    /**
     * {@linkplain #stop() Stops} it for good, if it has not been stopped. Nothing is claimed any more. The executor is
     * left running.
     */
    @Override
    public void close() {
        node.close();
    }

    // Looking

    /** Returns what sees and steers recurring tasks for all nodes. */
    public RecurringTasks recurringTasks() {
        return recurringTasks;
    }

    /**
     * Returns one-time tasks of all handlers that are kept in a state, by handler and time.
     *
     * @param state {@link DurableTask.State#FAILED} or {@link DurableTask.State#UNREADABLE}
     * @param limit the maximum number of tasks to return, 1 to 10,000
     * @throws IllegalArgumentException if the state is another one, or the limit out of range
     */
    public List<DurableTask> kept(DurableTask.State state, int limit) {
        return database.tables().tasks().kept(state, limit);
    }

    /** Returns what is in the database, which is asked for it. */
    public DurableOverview overview() {
        return node.overview();
    }

    /**
     * Returns the names of the handlers with unfinished one-time tasks in the database. Such a task waits, is claimed
     * or running, or is unreadable and is tried again.
     */
    public List<String> scheduledHandlers() {
        return database.tables().tasks().unfinishedNames().stream()
                .filter(name -> !name.equals(Handler.RECURRING) && !name.equals(Handler.MADE))
                .toList();
    }

    public DurableCounts counts() {
        return node.counts();
    }

    /** Returns why the database does not answer, or refuses changes; null if all is well. */
    public @Nullable Throwable problem() {
        return node.availability().problem();
    }

    /**
     * Returns whether the database answers and refuses changes, as it is for reading only, has no room, or a right is
     * missing; any thread.
     */
    public boolean refusesChanges() {
        return node.availability().refusesChanges();
    }

    /** Returns for how long the database has not answered, or has refused changes; zero if all is well. */
    public Duration unansweredFor() {
        return node.availability().awayFor();
    }

    /** Returns the handler whose runs hold all workers of this node, for longer than is usual; null if none does. */
    public @Nullable String holder() {
        return node.holder();
    }

    /** Returns by how much the database's clock may differ from what this node takes it for. */
    public Duration clockError() {
        return clock.error();
    }

    public DurableSettings settings() {
        return settings;
    }
}
