package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.idle.Needs.AT_ONCE;

import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.ClaimTable.Candidates;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.idle.Needs;
import io.github.wheelscheduler.durable.internal.idle.UndrivenNodes;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the rows when they need an idle node next, in virtual time; one statement for all, as a test moves time often.
 */
final class IdleRows {

    private static final String DUE = "due";
    private static final String RECURRING = "recurring";
    private static final String KNOWN = "known";
    private static final String KNOWN_HERE = "known here";
    private static final String UNREADABLE = "unreadable";
    private static final String ENDED = "ended";
    private static final String FAILED = "failed";
    private static final String UNLEARNED = "unlearned";
    private static final String UNREVIVED = "unrevived";
    private static final String OWNER = "owner";
    private static final String NODE = "node";
    private static final String DEAD_NODE = "dead node";

    private static final String NEVER = "null as earliest";
    private static final String EARLIEST = "min(execution_time) as earliest";
    private static final String KNOWN_AT = "min(known_at) as earliest";
    private static final String LAST_CHANGED = "min(last_failure) as earliest";

    /** Rows are deleted that are older than a time, not rows that are as old. */
    private static final Duration OLDER = Duration.ofMillis(1);

    /** With a second one it is known whether the first is alone. */
    private static final int FIRST_TWO = 2;

    /** In place of the number of a handler: rows of any. */
    private static final String OF_ANY = "-1";

    /** A node says that it knows a recurring task long before others forget it, as they may come first then. */
    private static final int KNOWN_TIMES = 2;

    private final Sql sql;
    private final DurableSettings settings;
    private final Moment moment;
    private final List<String> parts = new ArrayList<>();
    private final List<Object> parameters = new ArrayList<>();

    private IdleRows(Sql sql, DurableSettings settings, Moment moment) {
        this.sql = sql;
        this.settings = settings;
        this.moment = moment;
    }

    private void addAll() {
        addWaiting("", List.of());
        if (!moment.recurring.isEmpty()) {
            add(
                    RECURRING,
                    "min(case when state = " + RowState.WAITING + " then execution_time end) as earliest",
                    "count(*)",
                    inRecurring(moment.recurring),
                    moment.recurring);
        }
        addUnlearned();
        add(KNOWN, KNOWN_AT, "0", RecurringTable.NAME + DeclaredTable.MAY_GO, List.of());
        if (!moment.known.isEmpty()) {
            add(KNOWN_HERE, KNOWN_AT, "0", inRecurring(moment.known), moment.known);
        }
        add(
                ENDED,
                LAST_CHANGED,
                "0",
                "state = " + RowState.ENDED + " and task_name <> '" + Handler.RECURRING + "'",
                List.of());
        if (settings.keepFailed() != null) {
            add(FAILED, LAST_CHANGED, "0", "state = " + RowState.FAILED + " and not " + RecurringTable.BOTH, List.of());
        }
        // The number of an incarnation is positive. H2 would read all rows to find the owned ones.
        parts.add("select '" + OWNER + "' as what, null as earliest, owner as number_of from {task} where"
                + " owner > 0 group by owner");
        parts.add("select case when state < " + NodeTable.DEAD + " then '" + NODE + "' else '" + DEAD_NODE
                + "' end as what, null as earliest, incarnation as number_of from {node} where " + NodeTable.IS_NODE);
    }

    private static String inRecurring(List<String> ids) {
        return RecurringTable.NAME + " and task_instance in (" + Dialect.placeholders(ids.size()) + ")";
    }

    /** Rows that wait and that nobody could read, of which it may claim some, but for recurring tasks of methods. */
    private void addWaiting(String condition, List<?> more) {
        for (int i = 0; i < moment.names.size(); i++) {
            List<Object> all = new ArrayList<>(List.of(moment.names.get(i)));
            boolean ignored = all.addAll(more);
            addFirst(DUE, i, FIRST_TWO, "state = " + RowState.WAITING + " and task_name = ?" + condition, all);
            addFirst(UNREADABLE, i, 1, "state = " + RowState.UNREADABLE + " and task_name = ?" + condition, all);
        }
        if (moment.areMade && !moment.names.isEmpty()) {
            List<Object> all = new ArrayList<>(moment.names);
            boolean ignored = all.addAll(more);
            String ofHandlers = MadeTable.NAME + " and made_for in (" + Dialect.placeholders(moment.names.size()) + ")"
                    + condition + " and state = ";
            add(DUE, EARLIEST, OF_ANY, ofHandlers + RowState.WAITING, all);
            add(UNREADABLE, EARLIEST, OF_ANY, ofHandlers + RowState.UNREADABLE, all);
        }
    }

    /** The first rows that are not due yet, where one is due that may be locked. */
    private void addLater() {
        List<Object> now = List.of(Objects.requireNonNull(sql.timeOrNull(moment.now)));
        String isLater = " and execution_time > ?";
        addWaiting(isLater, now);
        if (!moment.recurring.isEmpty()) {
            List<Object> all = new ArrayList<>(moment.recurring);
            boolean ignored = all.addAll(now);
            add(
                    DUE,
                    EARLIEST,
                    OF_ANY,
                    "state = " + RowState.WAITING + " and " + inRecurring(moment.recurring) + isLater,
                    all);
        }
    }

    /** The rows of recurring tasks that are made at run time, for which no job looks before the node knows of one. */
    private void addUnlearned() {
        if (moment.areMade) {
            add(UNREVIVED, NEVER, "count(*)", MadeTable.NAME + " and state = " + RowState.FAILED, List.of());
        } else {
            add(UNLEARNED, NEVER, "count(*)", MadeTable.NAME, List.of());
        }
    }

    /**
     * The first rows in the order of the index, with all of its columns: H2 would read all rows of a handler, for the
     * least time as well.
     */
    private void addFirst(String what, int handler, int rows, String condition, List<?> more) {
        parts.add("select '" + what + "' as what, execution_time as earliest, " + handler
                + " as number_of from (select execution_time from {task} where " + condition
                + " order by state, task_name, execution_time limit " + rows + ") some_rows");
        parameters.addAll(more);
    }

    private void add(String what, String earliest, String number, String condition, List<?> more) {
        parts.add("select '" + what + "' as what, " + earliest + ", " + number + " as number_of from {task} where "
                + condition);
        parameters.addAll(more);
    }

    /**
     * A moment of an idle node.
     *
     * @param driven the incarnations of nodes that live in this time
     * @param nodesBefore the incarnations of all nodes when it has kept its recurring tasks last
     * @param names of handlers that it may claim for
     * @param recurring ids of tasks that it may claim
     * @param known ids of recurring tasks that are not to be forgotten
     * @param isPlanted whether all rows of its recurring tasks have been made
     * @param areMade whether it knows of recurring tasks that are made at run time
     * @param isSwept whether all rows that no node could read have been tried once
     */
    record Moment(
            Instant now,
            long incarnation,
            Set<Long> driven,
            Set<Long> nodesBefore,
            List<String> names,
            List<String> recurring,
            List<String> known,
            boolean isPlanted,
            boolean areMade,
            boolean isSwept) {}

    /**
     * The answer of the tables.
     *
     * @param nodes the incarnations of the nodes that are there
     * @param undriven the ones that do not live in this time, and that nobody has declared dead
     * @param next the rows to claim next; null if the next poll is to count them
     */
    record Answer(
            Needs needs,
            Set<Long> nodes,
            List<UndrivenNodes.Node> undriven,
            @Nullable NextDue next) {}

    /**
     * The rows that can be claimed at a time, if nothing but time changes until then.
     *
     * @param due the rows as a poll would count them
     */
    record NextDue(Instant at, Map<String, Candidates> due) {}

    /** Asks the tables. */
    static Answer ask(Tables tables, DurableSettings settings, Moment moment) {
        IdleRows rows = new IdleRows(tables.sql(), settings, moment);
        rows.addAll();
        List<Found> answer = rows.found();
        Map<String, Found> found = new HashMap<>();
        Set<Long> nodes = new HashSet<>();
        Set<Long> owners = new HashSet<>();
        boolean isThere = false;
        for (Found each : answer) {
            if (each.what.equals(NODE) || each.what.equals(DEAD_NODE)) {
                boolean ignored = nodes.add(each.number);
                isThere |= each.what.equals(NODE) && each.number == moment.incarnation;
            } else if (each.what.equals(OWNER)) {
                boolean ignored = owners.add(each.number);
            } else {
                found.merge(each.what, each, Found::first);
            }
        }
        List<UndrivenNodes.Node> undriven = moment.driven.containsAll(nodes)
                ? List.of()
                : tables.nodes().list().stream()
                        .filter(node -> !node.isDead() && !moment.driven.contains(node.incarnation()))
                        .map(node ->
                                new UndrivenNodes.Node(node.incarnation(), node.name(), node.beat(), node.beatAt()))
                        .toList();
        Needs needs = rows.needs(found, nodes, owners, isThere && undriven.isEmpty());
        return new Answer(needs, nodes, undriven, rows.nextDue(needs.dueAt(), answer));
    }

    private List<Found> found() {
        String all = String.join(" union all ", parts);
        return sql.query(
                // H2 would parse and plan a union anew each time.
                sql.dialect() == Dialect.H2 ? "select * from (" + all + ") answers" : all,
                (row, number) -> read(sql.dialect(), row),
                parameters.toArray());
    }

    private @Nullable Instant later() {
        IdleRows rows = new IdleRows(sql, settings, moment);
        rows.addLater();
        Instant later = null;
        for (Found each : rows.parts.isEmpty() ? List.<Found>of() : rows.found()) {
            later = earlier(later, each.at);
        }
        return later;
    }

    private static Found read(Dialect dialect, ResultSet row) throws SQLException {
        return new Found(row.getString("what"), dialect.instant(row, "earliest"), row.getLong("number_of"));
    }

    /** Whether a row is the only one of its handler is known of the first, and of recurring tasks never. */
    private @Nullable NextDue nextDue(@Nullable Instant dueAt, List<Found> answer) {
        if (dueAt == null) {
            return null;
        }
        Instant at = dueAt.isAfter(moment.now) ? dueAt : moment.now;
        Instant until = Arguments.after(at, settings.claimAhead());
        Map<String, Candidates> due = new LinkedHashMap<>();
        for (Found each : answer) {
            Instant first = each.at;
            if (first == null || first.isAfter(until) || !(each.what.equals(DUE) || each.what.equals(RECURRING))) {
                continue;
            }
            boolean isOfHandler = each.what.equals(DUE) && each.number >= 0 && each.number < moment.names.size();
            if (!isOfHandler || due.put(moment.names.get((int) each.number), new Candidates(1, first)) != null) {
                return null;
            }
        }
        return new NextDue(at, due);
    }

    /** @param mayJump whether the node is there, and no other that this time does not drive and that may live */
    private Needs needs(Map<String, Found> found, Set<Long> nodes, Set<Long> owners, boolean mayJump) {
        Found recurring = found.getOrDefault(RECURRING, Found.NONE);
        // When a node has come or gone, another schedule may count.
        boolean isKept = recurring.number >= moment.recurring.size()
                && !isAny(found, UNREVIVED)
                && (moment.recurring.isEmpty() || nodes.equals(moment.nodesBefore));
        Instant dueAt = earlier(found.getOrDefault(DUE, Found.NONE).at, recurring.at);
        Instant unreadableAt = found.getOrDefault(UNREADABLE, Found.NONE).at;
        Instant first = earlier(dueAt, unreadableAt);
        Duration keepFailed = settings.keepFailed();
        Set<Long> strangers = new HashSet<>(owners);
        boolean unused = strangers.removeAll(moment.driven);
        return new Needs(
                // A node that is not there, or was found dead, joins again by its next beat.
                mayJump,
                !strangers.isEmpty(),
                dueAt,
                // One handler after another.
                unreadableAt == null || moment.isSwept ? unreadableAt : moment.now,
                first == null || first.isAfter(moment.now) ? first : later(),
                isKept
                        ? earlier(
                                after(found.getOrDefault(KNOWN, Found.NONE), settings.forgetAfter()),
                                after(
                                        found.getOrDefault(KNOWN_HERE, Found.NONE),
                                        settings.forgetAfter().dividedBy(KNOWN_TIMES)))
                        : AT_ONCE,
                moment.isPlanted ? null : AT_ONCE,
                isAny(found, UNLEARNED) ? AT_ONCE : null,
                earlier(
                        after(found.getOrDefault(ENDED, Found.NONE), TaskTable.NOTICE),
                        keepFailed == null ? null : after(found.getOrDefault(FAILED, Found.NONE), keepFailed)),
                owners.contains(moment.incarnation) ? AT_ONCE : null,
                strangers.isEmpty() && moment.driven.containsAll(nodes) ? null : AT_ONCE);
    }

    private static boolean isAny(Map<String, Found> found, String what) {
        return found.getOrDefault(what, Found.NONE).number > 0;
    }

    private static @Nullable Instant after(Found found, Duration time) {
        return found.at == null ? null : Arguments.after(found.at, time).plus(OLDER);
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }

    /** The result of one part of the statement. */
    private record Found(String what, @Nullable Instant at, long number) {

        private static final Found NONE = new Found("", null, 0);

        private Found first(Found other) {
            return new Found(what, earlier(at, other.at), number + other.number);
        }
    }
}
