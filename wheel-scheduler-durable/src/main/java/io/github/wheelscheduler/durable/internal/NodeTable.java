package io.github.wheelscheduler.durable.internal;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of nodes, one for each incarnation: a number of its own for each start of a node, and for each time that it
 * finds itself dead. A row whose {@code beat} changes is alive. One more row, {@link #LAYOUT}, says what the tables are
 * like.
 */
record NodeTable(Sql sql) {

    static final int ALIVE = 0;

    /** It ends its runs and claims nothing: what it leaves has not killed it. */
    static final int CLOSING = 1;

    /** It may have died of a task. */
    static final int DEAD = 2;

    /** It has died while it was closing. */
    static final int GONE = 3;

    /** The incarnation of the row that is no node. */
    static final long LAYOUT = 0;

    /** The layout that this release makes, and the one that it needs. */
    static final int OUR_LAYOUT = 2;

    private static final String SELECT =
            "select incarnation, name, state, beat, beat_at, asked, octet_length(handlers) as handlers_length from "
                    + "{node} where ";

    static final String IS_NODE = "incarnation <> " + LAYOUT;

    /**
     * A node.
     *
     * @param state one of the constants above
     * @param beat changes as long as the node lives
     * @param beatAt the time of its last change, by the database's clock
     * @param asked the number of requests to end something that it has
     * @param handlersLength the length of the text of its handlers, which only grows; -1 if its release does not write
     *     one
     */
    record NodeRow(
            long incarnation, String name, int state, long beat, Instant beatAt, long asked, int handlersLength) {

        boolean isDead() {
            return state >= DEAD;
        }
    }

    /**
     * The handlers and schedules of a node, in texts of words without spaces.
     *
     * @param handlers the names of its one-time handlers
     * @param schedules the ids of the recurring tasks that it declares, each with its schedule
     */
    record Has(String handlers, String schedules) {

        static Has of(Collection<String> handlers, Map<String, String> schedules) {
            return new Has(
                    handlers.stream().map(Has::word).collect(Collectors.joining(" ")),
                    schedules.entrySet().stream()
                            .map(declared -> word(declared.getKey(), declared.getValue()))
                            .collect(Collectors.joining(" ")));
        }

        static String word(String name) {
            return URLEncoder.encode(name, StandardCharsets.UTF_8);
        }

        private static String word(String id, String schedule) {
            return word(id) + "=" + word(schedule);
        }

        static List<String> words(String text) {
            return text.isEmpty() ? List.of() : List.of(text.split(" "));
        }
    }

    /** Adds a node, which is in that state. */
    boolean add(long incarnation, String name, int state, Has has) {
        return sql.changes(
                "insert into {node} (incarnation, name, state, beat, beat_at, handlers, schedules) values (?, ?, ?, 1, "
                        + "{now}, ?, ?)",
                incarnation,
                name,
                state,
                has.handlers,
                has.schedules);
    }

    /** Says what a node has by now. */
    boolean say(long incarnation, Has has) {
        return sql.changes(
                "update {node} set handlers = ?, schedules = ? where incarnation = ?",
                has.handlers,
                has.schedules,
                incarnation);
    }

    /** Returns the texts of the handlers of nodes, by incarnation. */
    Map<Long, String> handlersOf(Collection<Long> incarnations) {
        Map<Long, String> handlers = new HashMap<>();
        List<Long> ignored = sql.query(
                "select incarnation, handlers from {node} where handlers is not null and incarnation in ("
                        + Dialect.placeholders(incarnations.size()) + ")",
                (row, number) -> {
                    String unused = handlers.put(row.getLong(1), row.getString(2));
                    return row.getLong(1);
                },
                incarnations.toArray());
        return handlers;
    }

    /** Whether a node that nobody has found dead declares that schedule of a recurring task. */
    boolean declares(String id, String schedule) {
        String word = Has.word(id, schedule);
        return sql
                .query(
                        "select schedules from {node} where schedules is not null and " + IS_NODE + " and state < "
                                + DEAD,
                        (row, number) -> row.getString(1))
                .stream()
                .anyMatch(text -> Has.words(text).contains(word));
    }

    /** Says that a node lives, and in which state it is; false if others have found it dead. */
    boolean beat(long incarnation, int state) {
        return sql.changes(
                "update {node} set beat = beat + 1, beat_at = {now}, state = ? where incarnation = ? and state < "
                        + DEAD,
                state,
                incarnation);
    }

    /** Whether a node is there that nobody has found dead: then nobody has taken over what it had. */
    boolean isAlive(long incarnation) {
        return sql.finds("select 1 from {node} where incarnation = ? and state < " + DEAD, incarnation);
    }

    /** Returns all nodes, dead ones among them. */
    List<NodeRow> list() {
        return sql.query(SELECT + IS_NODE + " order by name, incarnation", this::read);
    }

    private NodeRow read(ResultSet row, int number) throws SQLException {
        return new NodeRow(
                row.getLong("incarnation"),
                row.getString("name"),
                row.getInt("state"),
                row.getLong("beat"),
                Objects.requireNonNullElse(sql.dialect().instant(row, "beat_at"), Instant.EPOCH),
                row.getLong("asked"),
                row.getString("handlers_length") == null ? -1 : row.getInt("handlers_length"));
    }

    /**
     * Locks the row of a node that seems to be dead, and returns it as it is now; null if another transaction has
     * locked it, or it is gone. In a transaction of the caller's.
     */
    @Nullable
    NodeRow lock(long incarnation) {
        return sql.first(SELECT + "incarnation = ?" + Dialect.SKIPPING_LOCKED, this::read, incarnation);
    }

    /** Says that a node is dead, whose row is locked. */
    boolean bury(long incarnation) {
        return sql.changes(
                "update {node} set state = case when state = " + CLOSING + " then " + GONE + " else " + DEAD
                        + " end where incarnation = ?",
                incarnation);
    }

    /** Deletes the row of a node, unless rows of tasks name it. */
    boolean delete(long incarnation) {
        return sql.changes(
                "delete from {node} where incarnation = ? and not exists (select 1 from {task} where owner = ?)",
                incarnation,
                incarnation);
    }

    /** Asks all nodes to look at all that waits: this one has freed something that was due long ago. */
    boolean askForFullLook(long incarnation) {
        return sql.changes("update {node} set full_looks = full_looks + 1 where incarnation = ?", incarnation);
    }

    /**
     * Returns what the tables are like and which releases may work on them.
     *
     * @return the layout, and the oldest that a node may know; null if the row that says so is not there
     */
    int @Nullable [] layout() {
        return sql.first("select layout, oldest_layout from {node} where incarnation = " + LAYOUT, (row, number) ->
                new int[] {row.getInt(1), row.getInt(2)});
    }
}
