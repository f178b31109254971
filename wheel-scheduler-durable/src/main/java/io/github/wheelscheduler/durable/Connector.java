package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.Database.HeldConnection;
import io.github.wheelscheduler.durable.DurableCounts.Tally;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.dao.DataAccessException;

/**
 * Sets a node to work when the database answers for the first time. One thread at a time: who starts the node for the first time, or else a keeper, again and again
 * until it answers.
 */
final class Connector {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final long CONNECT_AGAIN_SECONDS = 1;

    private final DurableSettings settings;
    private final NodeGroups groups;
    private final Database database;
    private final DatabaseClock clock;
    private final Handlers handlers;
    private final Payloads payloads;
    private final Availability availability;
    private final Tally tally;
    private final DurableObserver observer;
    private final NodeState state;
    private final NodeLoops loops;
    private final RecurringRegistrar registrar;
    private final PassedOver passedOver = new PassedOver();

    Connector(
            DurableSettings settings,
            NodeGroups groups,
            Database database,
            DatabaseClock clock,
            Handlers handlers,
            Payloads payloads,
            Availability availability,
            Tally tally,
            DurableObserver observer,
            NodeState state,
            NodeLoops loops,
            RecurringRegistrar registrar) {
        this.settings = settings;
        this.groups = groups;
        this.database = database;
        this.clock = clock;
        this.handlers = handlers;
        this.payloads = payloads;
        this.availability = availability;
        this.tally = tally;
        this.observer = observer;
        this.state = state;
        this.loops = loops;
        this.registrar = registrar;
    }

    /**
     * Connects now, or as soon as the database answers.
     *
     * @throws UnsupportedDatabaseException if it is none that this works with
     */
    void connectNowOrSoon() {
        try {
            connect();
        } catch (DataAccessException ex) {
            availability.isAway(ex);
            connectSoon();
        }
    }

    private void connectSoon() {
        try {
            Object ignored = groups.keepers().schedule(this::connectAgain, CONNECT_AGAIN_SECONDS, TimeUnit.SECONDS);
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
        Claims claims = newClaims();
        availability.isThere();
        LOGGER.info("Durable tasks of " + handlers.names().size() + " handlers run on node " + settings.node()
                + ", whose clock is known to " + clock.error());
        loops.begin();
        state.setClaims(claims);
        registrar.plantAll();
    }

    private Claims newClaims() {
        TaskTable table = database.table();
        clock.ask(table::now);
        HeldConnection held = database.held();
        state.setHeld(held);
        Runs runs = new Runs(
                groups.keepers(),
                clock,
                table,
                database.recurring(),
                handlers,
                passedOver,
                payloads,
                availability,
                tally,
                observer,
                loops::claimSoon);
        state.setRuns(runs);
        return new Claims(
                settings,
                groups.workers(),
                clock,
                held,
                table,
                database.repository(handlers, passedOver, clock, groups.keepers()::nanoTime),
                handlers,
                availability,
                tally,
                runs);
    }
}
